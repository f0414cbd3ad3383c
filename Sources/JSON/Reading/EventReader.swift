/// Reads texts of any size as events, as jq's `--stream` does.
///
/// An event is `[path, leaf]` for each scalar and empty container, and `[path]` where a container closes.
///
/// A value of a gigabyte takes no more memory than its deepest path.
///
///     {"a":[1,{"b":2}]}   →   [["a",0],1]  [["a",1,"b"],2]  [["a",1,"b"]]  [["a",1]]  [["a"]]
public final class EventReader {
  private let source: Reader.Source
  private let isSequence: Bool
  private let reportsErrors: Bool

  private var buffer = [UInt8](repeating: 0, count: 1 << 16)
  private var position = 0
  private var end = 0
  private var isFinal = false
  private var isDone = false

  private var state: State
  private var token: [UInt8] = []
  private var pending: Value?
  private var events: [Value] = []
  private var nextEvent = 0
  private var path: [Value] = []
  private var last = Last.nothing

  /// Line breaks passed, counted from 1, and bytes since the last one.
  public private(set) var line = 1
  private var column = 0
  private var offset = 0

  private enum State { case normal, string, escape, waitingForSeparator }
  private enum Last { case nothing, openArray, openObject, colon, comma, value }
  private struct Mistake: Error {
    let message: String
    init(_ message: String) { self.message = message }
  }

  /// With `isSequence` texts are separated by RS (RFC 7464) and mistakes only cost the text they are in; with
  /// `reportsErrors` a mistake becomes an event `[message, path]`.
  public init(isSequence: Bool = false, reportsErrors: Bool = false, source: @escaping Reader.Source) {
    self.source = source
    self.isSequence = isSequence
    self.reportsErrors = reportsErrors
    state = isSequence ? .waitingForSeparator : .normal
  }

  /// The next event, nil after the last.
  ///
  /// Throws `ParseError`; a sequence can be read on after it.
  public func next() throws -> Value? {
    while true {
      if nextEvent < events.count {
        defer { nextEvent += 1 }
        return events[nextEvent]
      }
      events.removeAll(keepingCapacity: true)
      nextEvent = 0
      if isDone { return nil }
      do {
        if position < end {
          try scan()
        } else if isFinal {
          isDone = true
          try finish()
        } else {
          position = 0
          end = try buffer.withUnsafeMutableBytes { try source($0) }
          isFinal = end == 0
        }
      } catch let mistake as Mistake {
        if let event = try report(mistake) { return event }
      }
    }
  }

  private func report(_ mistake: Mistake) throws -> Value? {
    let error = ParseError(mistake.message, line: line, column: column, offset: offset, isAtEnd: isDone)
    let from = Value.array(path)
    let isAtSeparator = position > 0 && buffer[position - 1] == 0x1e
    reset()
    if isSequence {
      if !isAtSeparator { state = .waitingForSeparator }
    } else {
      isDone = true
    }
    if reportsErrors { return .array([.string(error.description), from]) }
    throw error
  }

  private func reset() {
    token.removeAll(keepingCapacity: true)
    path.removeAll(keepingCapacity: true)
    pending = nil
    last = .nothing
    state = .normal
  }

  // MARK: - Bytes

  /// Goes on until there is an event or the buffer is used up.
  private func scan() throws {
    while position < end, events.isEmpty {
      let byte = buffer[position]
      position += 1
      offset += 1
      column += 1
      if byte == 0x0a {
        line += 1
        column = 0
      }
      switch state {
      case .waitingForSeparator: if byte == 0x1e { state = .normal }
      case .escape:
        token.append(byte)
        state = .string
      case .string: try scanString(byte)
      case .normal: try scanNormal(byte)
      }
    }
  }

  private func scanString(_ byte: UInt8) throws {
    if byte == 0x1e, isSequence { return try separator() }
    if byte == 0x22 {
      state = .normal
      try finishString()
      return emitTopLevel()
    }
    token.append(byte)
    if byte == 0x5c {
      state = .escape
      return
    }
    // The rest of the text up to the next byte that means something.
    let start = position
    while position < end, buffer[position] != 0x22, buffer[position] != 0x5c, buffer[position] >= 0x20 {
      position += 1
    }
    token.append(contentsOf: buffer[start..<position])
    column += position - start
    offset += position - start
  }

  private func scanNormal(_ byte: UInt8) throws {
    switch byte {
    case 0x1e where isSequence: try separator()
    case 0x20, 0x09, 0x0a, 0x0d:
      try finishWord()
      emitTopLevel()
    case 0x22:
      try finishWord()
      emitTopLevel()
      state = .string
    case 0x5b, 0x7b, 0x5d, 0x7d, 0x2c, 0x3a:
      try finishWord()
      emitTopLevel()
      try structure(byte)
    default: token.append(byte)
    }
  }

  private func separator() throws {
    if !path.isEmpty || !token.isEmpty || state != .normal {
      let isNumber = path.isEmpty && state == .normal && word()?.kind == .number
      throw Mistake(isNumber ? "Potentially truncated top-level numeric value" : "Truncated value")
    }
    reset()
  }

  private func finish() throws {
    if state == .waitingForSeparator {
      if isSequence { throw Mistake("Unfinished abandoned text") }
      return
    }
    guard state == .normal else { throw Mistake("Unfinished string") }
    let endsInWord = !token.isEmpty
    try finishWord()
    guard path.isEmpty else { throw Mistake("Unfinished JSON term") }
    if isSequence, endsInWord, pending?.kind == .number {
      throw Mistake("Potentially truncated top-level numeric value")
    }
    emitTopLevel()
  }

  private func emitTopLevel() {
    guard path.isEmpty, let value = pending else { return }
    emit(value)
    pending = nil
  }

  private func emit(_ value: Value) {
    events.append(.array([.array(path), value]))
  }

  // MARK: - Tokens

  private func setValue(_ value: Value) throws {
    if pending != nil || last == .value { throw Mistake("Expected separator between values") }
    last = path.isEmpty ? .nothing : .value
    pending = value
  }

  private func finishString() throws {
    defer { token.removeAll(keepingCapacity: true) }
    if let message = token.withUnsafeBufferPointer(mistakeInString) { throw Mistake(message) }
    let text = token.withUnsafeBufferPointer { source in
      withDecodedText(source) { Value.string(repairing: $0) }
    }
    try setValue(text)
  }

  private func finishWord() throws {
    guard !token.isEmpty else { return }
    defer { token.removeAll(keepingCapacity: true) }
    guard let value = word() else { throw Mistake(mistakeInWord(token, .jq) ?? "Invalid literal") }
    try setValue(value)
  }

  private func word() -> Value? {
    if token.elementsEqual("null".utf8) { return .null }
    if token.elementsEqual("true".utf8) { return .bool(true) }
    if token.elementsEqual("false".utf8) { return .bool(false) }
    return token.withUnsafeBufferPointer { Value.literal($0) }
  }

  private func structure(_ byte: UInt8) throws {
    switch byte {
    case 0x5b, 0x7b: try open(byte == 0x7b)
    case 0x3a: try colon()
    case 0x2c: try comma()
    case 0x5d: try closeArray()
    default: try closeObject()
    }
  }

  private func open(_ isObject: Bool) throws {
    let mark = isObject ? "{" : "["
    guard pending == nil, last != .value else { throw Mistake("Expected a separator between values") }
    if last == .openObject { throw Mistake("Expected string key after '{', not '\(mark)'") }
    if last == .comma, path.last?.kind != .number {
      throw Mistake("Expected string key after ',' in object, not '\(mark)'")
    }
    guard path.count < ParseOptions.jq.depthLimit else { throw Mistake("Exceeds depth limit for parsing") }
    // An object's key is not known yet: null stands for it.
    path.append(isObject ? .null : .number(0))
    last = isObject ? .openObject : .openArray
  }

  private func colon() throws {
    guard let top = path.last, top.kind != .number else { throw Mistake("':' not as part of an object") }
    guard let key = pending, last != .nothing else { throw Mistake("Expected string key before ':'") }
    guard key.isString else { throw Mistake("Object keys must be strings") }
    guard last == .value, top.isNull else { throw Mistake("':' should follow a key") }
    last = .colon
    path[path.count - 1] = key
    pending = nil
  }

  private func comma() throws {
    guard last == .value else { throw Mistake("Expected value before ','") }
    guard let top = path.last else { throw Mistake("',' not as part of an object or array") }
    if top.isNull { throw Mistake("Objects must consist of key:value pairs") }
    if let value = pending { emit(value) }
    pending = nil
    path[path.count - 1] = top.double.map { .number($0 + 1) } ?? .null
    last = .comma
  }

  private func closeArray() throws {
    guard let top = path.last else { throw Mistake("Unmatched ']' at the top-level") }
    if last == .comma { throw Mistake("Expected another array element") }
    guard top.kind == .number else { throw Mistake("Unmatched ']' in the middle of an object") }
    close(isEmpty: last == .openArray, .array([]))
  }

  private func closeObject() throws {
    guard let top = path.last else { throw Mistake("Unmatched '}' at the top-level") }
    if last == .comma { throw Mistake("Expected another key:value pair") }
    if top.kind == .number { throw Mistake("Unmatched '}' in the middle of an array") }
    if pending != nil, !top.isString { throw Mistake("Objects must consist of key:value pairs") }
    if last == .colon { throw Mistake("Missing value in key:value pair") }
    close(isEmpty: last == .openObject, .emptyObject)
  }

  private func close(isEmpty: Bool, _ empty: Value) {
    if let value = pending { emit(value) }
    pending = nil
    if !isEmpty { events.append(.array([.array(path)])) }
    path.removeLast()
    // Empty containers are leaves.
    if isEmpty { emit(empty) }
    last = path.isEmpty ? .nothing : .value
  }
}
