import JSON
import Engine
import Language

/// A line of a log: its meaning, and the bytes it was read from.
struct TailEntry {
  enum Meaning {
    case change(Change)
    /// JSON, but not a change event.
    case other(Value)
    case noJSON
  }

  let bytes: [UInt8]
  let meaning: Meaning
  /// Whether the line is longer than what was read of it.
  let isCut: Bool

  /// Nil for a blank line.
  init?(_ whole: LogLine) {
    isCut = whole.isCut
    var line = whole.bytes[...]
    if line.last == UInt8(ascii: "\r") { line.removeLast() }
    if line.allSatisfy({ $0 == 0x20 || $0 == 0x09 }) { return nil }
    bytes = Array(line)
    // The beginning of a number is also a number.
    if isCut {
      meaning = .noJSON
      return
    }
    do throws(ParseError) {
      let value = try Value.parse(bytes)
      meaning = Change(value).map { .change($0) } ?? .other(value)
    } catch {
      meaning = .noJSON
    }
  }

  /// A value as if it were read.
  init(_ value: Value) {
    (bytes, isCut) = (value.json, false)
    meaning = Change(value).map { .change($0) } ?? .other(value)
  }

  var value: Value? {
    switch meaning {
    case .change(let change): change.value
    case .other(let value): value
    case .noJSON: nil
    }
  }
}

/// A change event of the operator `changes`.
struct Change {
  enum Sort: String { case added, changed, removed }

  let value: Value
  let sort: Sort
  let key: Value

  /// Nil if it is not a change event.
  init?(_ value: Value) {
    guard let type = value.member(Names.type)?.string, let sort = Sort(rawValue: type),
      let key = value.member(Names.key)
    else { return nil }
    (self.value, self.sort, self.key) = (value, sort, key)
  }

  var at: Value? { value.member(Names.at) }

  /// The item's name or title, or else its key.
  var name: String {
    for side in [Names.after, Names.before] {
      guard let row = value.member(side) else { continue }
      for member in [Names.name, Names.title] {
        if let text = row.member(member)?.string, !text.isEmpty { return text }
      }
    }
    return key.string ?? key.description
  }

  /// Its changed fields, computed here if the event does not list them.
  var differences: [Difference] {
    guard sort == .changed else { return [] }
    if let diff = value.member(Names.diff), diff.kind == .array { return Change.differences(in: diff) }
    guard let before = value.member(Names.before), let after = value.member(Names.after) else { return [] }
    return Value.differences(from: before, to: after)
  }

  private static func differences(in list: Value) -> [Difference] {
    var found: [Difference] = []
    var entries = list.elements
    while let entry = entries.next() {
      guard let text = entry.member(Names.path)?.string else { continue }
      let path = Pointer(text) ?? Pointer(steps: [text])
      found.append(
        Difference(path: path, before: entry.member(Names.before), after: entry.member(Names.after)))
    }
    return found
  }

  private enum Names {
    static let type = Key("type")
    static let key = Key("key")
    static let at = Key("at")
    static let before = Key("before")
    static let after = Key("after")
    static let diff = Key("diff")
    static let path = Key("path")
    static let name = Key("name")
    static let title = Key("title")
  }
}
