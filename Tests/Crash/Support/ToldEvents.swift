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
}
