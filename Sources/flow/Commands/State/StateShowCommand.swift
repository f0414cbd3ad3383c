import JSON
import Engine
import Language
import Store

/// `flow state show`: prints the state of a step, source or sink.
struct StateShowCommand {
  static let limit = CommandOption(
    "limit", short: "n", .value("NUM"), "print at most NUM lines, oldest keys first")
  static let key = CommandOption(
    "key", .value("KEY"), "print only this key, given as JSON or as plain text")

  static let manual = Manual(
    "state show", "print the state of a node",
    operands: .one("NODE").after("PIPELINE"), options: [limit, key, StateCommand.folder],
    about: """
      Prints JSON lines. For a step, its keys, the one written longest ago first: {"key":…,"value":…}; if it has \
      several tables, also {"table":…}, unless NODE is one of them, such as changes@upcoming. For sources and sinks, \
      facts, {"fact":…,"value":…}, and pending output, {"waiting":…,"value":…}. Values that are not JSON are printed \
      in hexadecimal.
      """,
    examples: [
      ("flow state show new-launches settle -n 10", "the ten oldest keys"),
      ("flow state show new-launches changes --key ID", "one key"),
      ("flow state show new-launches changes | flow eval -c .value", "only the values"),
    ])

  static let command = Command(reporting: manual) { arguments in
    let files = try StateFiles(arguments)
    let name = try files.find(arguments.operands[0])
    let limit = try arguments.number(limit) ?? .max
    let reader = try StateReader(path: files.path(of: name))
    let show = StateShowCommand(
      reader: reader, node: try node(arguments.operands[1], of: StateSummary(name, reader)))
    if let key = arguments.text(key) { return try show.show(key: key) }
    try show.show(limit)
    return show.output.end()
  }

  private let reader: StateReader
  private let node: StateNode
  private let output = StateOutput()

  private init(reader: StateReader, node: StateNode) {
    self.reader = reader
    self.node = node
  }

  /// The node of that name, or the table of that name.
  private static func node(_ name: String, of summary: StateSummary) throws -> StateNode {
    for node in summary.nodes {
      if node.name == name { return node }
      if let table = node.tables.first(where: { $0.node == name }) {
        return StateNode(name: name, tables: [table])
      }
    }
    throw summary.unknown(node: name)
  }

  private func show(key: String) throws -> Int32 {
    let candidates = StateShowCommand.keys(key)
    var isFound = false
    for table in node.tables {
      for candidate in candidates {
        guard let value = try reader.value(of: table.node, for: candidate) else { continue }
        put(candidate, value, of: table)
        isFound = true
        break
      }
    }
    guard isFound else {
      throw StateError.failed(
        node.tables.isEmpty
          ? "\(quoted(node.name)) has no keys; omit --key to print its state"
          : "\(quoted(node.name)) has no key \(quoted(key))")
    }
    return output.end()
  }

  /// The possible bytes of a key: the JSON that was given, the text that was given, or bytes that are not JSON.
  private static func keys(_ text: String) -> [[UInt8]] {
    var keys = [Array(text.utf8)]
    if let value = try? Value.parse(text, .strict) { keys.append(value.json) }
    keys.append(Value.string(text).json)
    let digits = Array(text.utf8)
    if digits.count.isMultiple(of: 2), digits.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) {
      keys.append(
        stride(from: 0, to: digits.count, by: 2).compactMap {
          UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        })
    }
    return keys
  }

  private func show(_ limit: Int) throws {
    var left = limit
    /// False once there are enough lines, or the output has no reader any more.
    func put(_ write: () -> Bool) -> Bool {
      guard left > 0 else { return false }
      left -= 1
      return write()
    }
    for fact in node.facts {
      let record = Value.record([("fact", .string(fact.name)), ("value", StateText.value(fact.value))])
      guard put({ output.put(record.json) }) else { return }
    }
    if let written = node.sink?.written {
      let record = Value.record([("fact", "written"), ("value", StateText.value(written))])
      guard put({ output.put(record.json) }) else { return }
    }
    for table in node.tables {
      var last: StoredKey?
      while let page = try page(of: table, after: last, left) {
        for key in page {
          last = key
          guard put({ self.put(key.key, key.value, of: table) }) else { return }
        }
      }
    }
    var place = OutputPlace(epoch: -1, index: 0)
    while node.waiting > 0, left > 0 {
      let page = try reader.outbox(sink: node.name, after: place, limit: min(left, 100))
      guard let next = page.last?.place else { return }
      place = next
      for entry in page {
        guard put({ output.put(StateShowCommand.waiting(entry).json) }) else { return }
      }
    }
  }

  private func page(of table: StoredTable, after key: StoredKey?, _ left: Int) throws -> [StoredKey]? {
    let page = try reader.keys(of: table.node, after: key, limit: min(left, 1000))
    return page.isEmpty ? nil : page
  }

  @discardableResult
  private func put(_ key: [UInt8], _ value: [UInt8], of table: StoredTable) -> Bool {
    let isOneOfMany = node.tables.count > 1
    var line = Array((isOneOfMany ? #"{"table":"# : #"{"key":"#).utf8)
    if isOneOfMany { line += Value.string(table.node).json + Array(#","key":"#.utf8) }
    line += StateText.json(key) + Array(#","value":"#.utf8) + StateText.json(value)
    return output.put(line + [UInt8(ascii: "}")])
  }

  private static func waiting(_ entry: OutboxEntry) -> Value {
    let due: Value = entry.due > 0 ? .string(timestamp(entry.due)) : .null
    return .record([
      (
        "waiting",
        .record([
          ("id", .string(entry.id)), ("place", StateText.value(entry.place)),
          ("attempts", .number(entry.attempts)), ("due", due),
        ])
      ), ("value", StateText.value(entry.bytes)),
    ])
  }
}

extension StateSummary {
  /// The error for a node that does not exist.
  func unknown(node given: String) -> StateError {
    let names = nodes.map(\.name)
    return .unknown(
      "there is no state of \(quoted(given)) in \(quoted(name)); "
        + StateFiles.hint(given, names, else: "none of its nodes has state"))
  }
}
