/// A value of the Redis protocol, RESP2.
package enum RESPValue: Equatable, Sendable {
  case text([UInt8])
  case integer(Int64)
  case array([RESPValue])
  case null
  /// The server's word for what is wrong: `WRONGTYPE Operation against a key …`.
  case error(String)

  package var string: String? {
    if case .text(let bytes) = self { String(decoding: bytes, as: UTF8.self) } else { nil }
  }

  package var items: [RESPValue]? { if case .array(let items) = self { items } else { nil } }
  package var integer: Int? { if case .integer(let number) = self { Int(number) } else { nil } }
}

/// Bytes that are no RESP.
package struct RESPFlaw: Error, CustomStringConvertible { package let description: String }

/// The reader of RESP2: takes bytes as they come, and gives each value once it is whole.
///
///     var reader = RESPReader(limit: 1 << 20)
///     try reader.take(bytes)
///     while let value = reader.next() { … }
///
/// It goes on where it was, so that its work is proportional to the bytes, however they are cut.
package struct RESPReader {
  /// Deeper arrays than any answer has are refused.
  private static let depth = 32
  /// Numbers and simple strings are no longer than this.
  private static let longestLine = 64 << 10

  /// The arrays that are begun, with what they lack.
  private var open: [(rest: Int, items: [RESPValue])] = []
  private var line: [UInt8] = []
  /// The text that is begun, and how many of its bytes, with the line's end, are to come.
  private var text: [UInt8] = []
  private var missing: Int?
  private var values: [RESPValue] = []
  private var given = 0
  /// How large a value may be, with all that is in it.
  private let limit: Int
  private var size = 0

  package init(limit: Int = 512 << 20) { self.limit = limit }

  /// The next value that is whole.
  package mutating func next() -> RESPValue? {
    guard given < values.count else {
      (values, given) = ([], 0)
      return nil
    }
    defer { given += 1 }
    return values[given]
  }

  package mutating func take(_ bytes: UnsafeRawBufferPointer) throws(RESPFlaw) {
    var rest = bytes[...]
    while !rest.isEmpty {
      if let missing {
        let part = rest.prefix(missing)
        text += part
        rest = rest.dropFirst(part.count)
        self.missing = missing - part.count
        if part.count == missing { try endText() }
        continue
      }
      guard let end = rest.firstIndex(of: 0x0a) else {
        line += rest
        if line.count > Self.longestLine { throw RESPFlaw(description: "a line has no end") }
        return
      }
      line += rest[..<end]
      rest = rest[(end + 1)...]
      try endLine()
    }
  }

  private mutating func endLine() throws(RESPFlaw) {
    if line.last == 0x0d { line.removeLast() }
    defer { line.removeAll(keepingCapacity: true) }
    guard let kind = line.first, line.count <= Self.longestLine else {
      throw RESPFlaw(description: "a line is empty or too long")
    }
    let body = String(decoding: line.dropFirst(), as: UTF8.self)
    try count(line.count)
    switch UnicodeScalar(kind) {
    case "+": add(.text(Array(line.dropFirst())))
    case "-": add(.error(body))
    case ":":
      guard let number = Int64(body) else { throw RESPFlaw(description: "no number: \(body)") }
      add(.integer(number))
    case "$":
      guard let length = Int(body), length >= -1 else { throw RESPFlaw(description: "no length: \(body)") }
      if length < 0 { return add(.null) }
      try count(length)
      missing = length + 2
    case "*":
      guard let length = Int(body), length >= -1 else { throw RESPFlaw(description: "no length: \(body)") }
      if length < 0 { return add(.null) }
      if length == 0 { return add(.array([])) }
      if open.count >= Self.depth { throw RESPFlaw(description: "arrays are nested too deeply") }
      open.append((length, []))
    default: throw RESPFlaw(description: "a value begins with byte \(kind)")
    }
  }

  private mutating func endText() throws(RESPFlaw) {
    guard text.suffix(2) == [0x0d, 0x0a] else { throw RESPFlaw(description: "a text has no end") }
    text.removeLast(2)
    add(.text(text))
    (text, missing) = ([], nil)
  }

  private mutating func count(_ bytes: Int) throws(RESPFlaw) {
    // An item is some forty bytes, however short.
    size += 40
    let (sum, isOver) = size.addingReportingOverflow(bytes)
    size = sum
    if isOver || size > limit { throw RESPFlaw(description: "an answer is longer than \(limit) bytes") }
  }

  /// Adds a value to the array that is open, and closes those that are whole.
  private mutating func add(_ value: RESPValue) {
    var value = value
    while let last = open.indices.last {
      open[last].items.append(value)
      open[last].rest -= 1
      if open[last].rest > 0 { return }
      value = .array(open.removeLast().items)
    }
    values.append(value)
    size = 0
  }
}

/// A command of RESP: an array of texts.
package func respCommand(_ arguments: [[UInt8]]) -> [UInt8] {
  var bytes = Array("*\(arguments.count)\r\n".utf8)
  for argument in arguments {
    bytes += Array("$\(argument.count)\r\n".utf8)
    bytes += argument
    bytes += [0x0d, 0x0a]
  }
  return bytes
}
