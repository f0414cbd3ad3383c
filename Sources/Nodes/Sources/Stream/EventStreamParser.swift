/// A parser of server-sent events (text/event-stream), as the HTML standard describes them, in pieces of any size.
struct EventStreamParser {
  struct ServerEvent: Equatable {
    /// `message`, unless the server names another.
    var type: String
    /// The last id that the server has sent.
    var id: String
    var data: [UInt8]
  }

  /// The most bytes of an event; a longer one is skipped.
  private let limit: Int
  /// The last id that came with a whole event; empty without one.
  private(set) var lastID: String
  /// How many milliseconds the server asks to wait before the next connection.
  private(set) var retry: Int?
  /// The events that were longer than the limit.
  private(set) var skipped = 0

  private var line: [UInt8] = []
  /// Whether the line is longer than any field that is kept: of the rest, nothing is.
  private var isLongLine = false
  private var isFirstLine = true
  private var isAfterReturn = false
  private var id: String
  private var type = ""
  private var data: [UInt8] = []
  private var hasData = false
  /// Whether the data is longer than the limit.
  private var isTooLong = false

  init(limit: Int, lastID: String = "") {
    self.limit = min(limit, .max >> 1)
    self.lastID = lastID
    id = lastID
  }

  /// Takes a piece, and emits the events that end in it.
  mutating func take(_ bytes: UnsafeRawBufferPointer, _ emit: (ServerEvent) -> Void) {
    var start = 0
    for (index, byte) in bytes.enumerated() where byte == 0x0a || byte == 0x0d || isAfterReturn {
      defer { isAfterReturn = byte == 0x0d }
      // The second half of CR LF.
      if isAfterReturn, byte == 0x0a {
        start = index + 1
        continue
      }
      guard byte == 0x0a || byte == 0x0d else { continue }
      keep(bytes[start..<index])
      start = index + 1
      endLine(emit)
    }
    keep(bytes[start...])
  }

  private mutating func keep(_ part: Slice<UnsafeRawBufferPointer>) {
    // A byte order mark and the name of the field come before its value.
    let room = limit + 16 - line.count
    if part.count > room { isLongLine = true }
    line += part.prefix(max(0, room))
  }

  private mutating func endLine(_ emit: (ServerEvent) -> Void) {
    defer {
      line.removeAll(keepingCapacity: true)
      isLongLine = false
    }
    if isFirstLine, line.starts(with: [0xef, 0xbb, 0xbf]) { line.removeFirst(3) }
    isFirstLine = false
    if line.isEmpty { return endEvent(emit) }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
    var value = line.dropFirst(colon + 1)
    if value.first == 0x20 { value = value.dropFirst() }
    // A comment has no name.
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "data": append(value)
    case _ where isLongLine: break
    case "event": type = String(decoding: value, as: UTF8.self)
    case "id":
      // Such an id could not be sent in a header.
      let isSendable = value.allSatisfy { ($0 >= 0x20 || $0 == 0x09) && $0 != 0x7f }
      if isSendable { id = String(decoding: value, as: UTF8.self) }
    case "retry":
      let isNumber = value.allSatisfy { (0x30...0x39).contains($0) }
      if isNumber, let number = Int(String(decoding: value, as: UTF8.self)) { retry = number }
    default: break
    }
  }

  private mutating func append(_ value: ArraySlice<UInt8>) {
    if isLongLine || data.count + (hasData ? 1 : 0) + value.count > limit { isTooLong = true }
    if isTooLong { return data = [] }
    if hasData { data.append(0x0a) }
    data += value
    hasData = true
  }

  private mutating func endEvent(_ emit: (ServerEvent) -> Void) {
    defer { (type, data, hasData, isTooLong) = ("", [], false, false) }
    lastID = id
    if isTooLong {
      skipped += 1
    } else if hasData {
      emit(ServerEvent(type: type.isEmpty ? "message" : type, id: id, data: data))
    }
  }
}
