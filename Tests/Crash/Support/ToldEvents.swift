/// A line that a command has written: the id it was given, and what it was told.
struct Told: Hashable {
  let id: String
  let text: String

  /// Nil where the line is not whole.
  init?(_ line: String) {
    guard let space = line.firstIndex(of: " ") else { return nil }
    id = String(line[..<space])
    text = String(line[line.index(after: space)...])
    if id.isEmpty || text.isEmpty { return nil }
  }
}

extension Place {
  /// Writes `tell.sh`, a command that notes the id and the text of each event.
  func writeTeller() throws {
    try write("tell.sh", "printf '%s %s\\n' \"$FLOW_EVENT_ID\" \"$(cat)\" >>told\n")
  }

  /// What the command was told.
  var told: ToldEvents { ToldEvents(bytes("told").lines, in: "told") }
}

/// What commands were told: as often as may be, but by its id one may know a repeat.
struct ToldEvents {
  private(set) var texts: Set<String> = []
  private(set) var verdict = Verdict()

  init(_ lines: [String], in name: String) {
    var ids: [String: String] = [:]
    var texts: [String: String] = [:]
    for line in lines {
      guard let told = Told(line) else {
        verdict.torn += 1
        verdict.findings.append("\(name) has the line \(line)")
        continue
      }
      if texts[told.id] == told.text { verdict.repeated += 1 }
      if let other = texts.updateValue(told.text, forKey: told.id), other != told.text {
        verdict.findings.append("\(name): \(other) and \(told.text) have both the id \(told.id)")
      }
      if let other = ids.updateValue(told.id, forKey: told.text), other != told.id {
        verdict.doubled += 1
        verdict.findings.append("\(name): \(told.text) came with the ids \(other) and \(told.id)")
      }
    }
    self.texts = Set(ids.keys)
  }

  /// The verdict, all of the truth having to be told.
  func verdict(of truth: [String]) -> Verdict {
    var verdict = verdict
    let missing = truth.filter { !texts.contains($0) }
    verdict.lost += missing.count
    if let first = missing.first { verdict.findings.append("\(first) was never told") }
    return verdict
  }
}
