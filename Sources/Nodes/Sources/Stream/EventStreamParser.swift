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
  /// The length of the line, which is not kept where the event is too long.
  private var length = 0
  private var isFirstLine = true
  private var isAfterReturn = false
  private var id: String
  private var type = ""
  private var data: [UInt8]?
  private var isTooLong = false

  init(limit: Int, lastID: String = "") {
    self.limit = limit
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
    length += part.count
    if length + (data?.count ?? 0) > limit { isTooLong = true }
    if isTooLong { line = [] } else { line += part }
  }

  private mutating func endLine(_ emit: (ServerEvent) -> Void) {
    defer {
      line.removeAll(keepingCapacity: true)
      length = 0
    }
    if isFirstLine, line.starts(with: [0xef, 0xbb, 0xbf]) {
      line.removeFirst(3)
      length -= 3
    }
    isFirstLine = false
    if length == 0 { return endEvent(emit) }
    // A comment begins with a colon.
    if isTooLong || line.first == UInt8(ascii: ":") { return }
    let colon = line.firstIndex(of: UInt8(ascii: ":")) ?? line.count
    var value = line.dropFirst(colon + 1)
    if value.first == 0x20 { value = value.dropFirst() }
    switch String(decoding: line[..<colon], as: UTF8.self) {
    case "data": data = (data.map { $0 + [0x0a] } ?? []) + value
    case "event": type = String(decoding: value, as: UTF8.self)
    case "id": if !value.contains(0) { id = String(decoding: value, as: UTF8.self) }
    case "retry":
      let isNumber = value.allSatisfy { (0x30...0x39).contains($0) }
      if isNumber, let number = Int(String(decoding: value, as: UTF8.self)) { retry = number }
    default: break
    }
  }

  private mutating func endEvent(_ emit: (ServerEvent) -> Void) {
    defer { (type, data, isTooLong) = ("", nil, false) }
    lastID = id
    if isTooLong {
      skipped += 1
    } else if let data {
      emit(ServerEvent(type: type.isEmpty ? "message" : type, id: id, data: data))
    }
  }
}
