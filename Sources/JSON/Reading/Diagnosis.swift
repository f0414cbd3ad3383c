// jq's error messages for a text that is not JSON. The parser only knows that it failed and where; this reads the value
// again, token by token in jq's order, to find the same wording and the same position.

/// The search for the first error in a text, and its message.
struct Diagnosis {
  private enum Open { case array(Int), object(Int), key }
  private enum Pending { case none, string, other }

  private var stack: [Open] = []
  private var containers = 0
  private var pending = Pending.none
  private var token: [UInt8] = []
  private var line: Int
  private var column: Int
  private let options: ParseOptions

  /// Explains a failure in `text`, which begins with the bad value, at `line` with `column` bytes before it.
  ///
  /// An error is `isAtEnd` when the text ends before the error is certain; more text may then change its wording.
  static func explain(
    _ text: ByteView, line: Int, column: Int, offset: Int, options: ParseOptions
  ) -> ParseError {
    var diagnosis = Diagnosis(line, column, options)
    return diagnosis.run(text, offset)
  }

  private init(_ line: Int, _ column: Int, _ options: ParseOptions) {
    self.line = line
    self.column = column
    self.options = options
  }

  private mutating func run(_ text: ByteView, _ offset: Int) -> ParseError {
    var inString = false
    var escaped = false
    var at = 0
    while at < text.count {
      let byte = text[at]
      column += 1
      if byte == 0x0a {
        line += 1
        column = 0
      }
      var message: String?
      if inString {
        if byte == 0x22, !escaped {
          inString = false
          message = finishString()
        } else {
          token.append(byte)
          escaped = byte == 0x5c && !escaped
        }
      } else {
        message = read(byte, &inString)
      }
      if let message {
        return ParseError(message, line: line, column: column, offset: offset + at)
      }
      at += 1
    }
    func end(_ message: String) -> ParseError {
      ParseError(message, line: line, column: column, offset: offset + at, isAtEnd: true)
    }
    if inString { return end("Unfinished string") }
    if let message = finishWord() { return end(message) }
    return end("Unfinished JSON term")
  }

  private mutating func read(_ byte: UInt8, _ inString: inout Bool) -> String? {
    switch byte {
    case 0x20, 0x09, 0x0a, 0x0d: return finishWord()
    case 0x22:
      if let message = finishWord() { return message }
      inString = true
      return nil
    case 0x5b, 0x7b, 0x5d, 0x7d, 0x2c, 0x3a:
      if let message = finishWord() { return message }
      return structure(byte)
    default:
      token.append(byte)
      return nil
    }
  }

  private mutating func value(_ kind: Pending) -> String? {
    if case .none = pending {
      pending = kind
      return nil
    }
    return "Expected separator between values"
  }

  private mutating func finishWord() -> String? {
    guard !token.isEmpty else { return nil }
    defer { token.removeAll(keepingCapacity: true) }
    return mistakeInWord(token, options) ?? value(.other)
  }

  private mutating func finishString() -> String? {
    defer { token.removeAll(keepingCapacity: true) }
    return token.withUnsafeBufferPointer(mistakeInString) ?? value(.string)
  }

  private mutating func structure(_ byte: UInt8) -> String? {
    switch byte {
    case 0x5b, 0x7b:
      if containers >= options.depthLimit { return "Exceeds depth limit for parsing" }
      guard case .none = pending else { return "Expected separator between values" }
      stack.append(byte == 0x5b ? .array(0) : .object(0))
      containers += 1
      return nil
    case 0x3a: return colon()
    case 0x2c: return comma()
    default: return close(byte)
    }
  }

  private mutating func colon() -> String? {
    guard let top = stack.last else {
      if case .none = pending { return "Expected string key before ':'" }
      return "':' not as part of an object"
    }
    if case .none = pending { return "Expected string key before ':'" }
    guard case .object = top else { return "':' not as part of an object" }
    guard case .string = pending else { return "Object keys must be strings" }
    stack.append(.key)
    pending = .none
    return nil
  }

  private mutating func comma() -> String? {
    if case .none = pending { return "Expected value before ','" }
    guard let top = stack.last else { return "',' not as part of an object or array" }
    switch top {
    case .array(let count): stack[stack.count - 1] = .array(count + 1)
    case .key: finishMember()
    case .object: return "Objects must consist of key:value pairs"
    }
    pending = .none
    return nil
  }

  private mutating func finishMember() {
    stack.removeLast()
    if case .object(let count) = stack.last { stack[stack.count - 1] = .object(count + 1) }
  }

  private mutating func close(_ byte: UInt8) -> String? {
    let mark = byte == 0x5d ? "]" : "}"
    guard let top = stack.last else { return "Unmatched '\(mark)'" }
    if byte == 0x5d {
      guard case .array(let count) = top else { return "Unmatched ']'" }
      if case .none = pending, count > 0 { return "Expected another array element" }
    } else if case .none = pending {
      guard case .object(let count) = top else { return "Unmatched '}'" }
      if count > 0 { return "Expected another key-value pair" }
    } else {
      guard case .key = top else { return "Objects must consist of key:value pairs" }
      finishMember()
    }
    stack.removeLast()
    containers -= 1
    pending = .other
    return nil
  }
}

/// True for a number of the standard's grammar and nothing else.
func isStrictNumber(_ text: ByteView) -> Bool {
  var padded = Array(text)
  padded.append(contentsOf: repeatElement(0, count: 8))
  return padded.withUnsafeBufferPointer { buffer in
    guard let base = buffer.baseAddress else { return false }
    var at = 0
    var kind = Tape.integer
    var state: UInt64 = 0
    return scanNumber(base, &at, &kind, &state) && at == text.count
  }
}

/// The error in a word at the position of a value; nil when it is one.
func mistakeInWord(_ word: [UInt8], _ options: ParseOptions) -> String? {
  let words: [UInt8: String] = [0x74: "true", 0x66: "false"]
  guard let first = word.first else { return nil }
  if first == 0x27 { return "Invalid string literal; expected \", but got '" }
  let wanted = first == 0x6e && word.count > 1 && word[1] == 0x75 ? "null" : words[first]
  if let wanted { return word.elementsEqual(wanted.utf8) ? nil : "Invalid literal" }
  let isNumber = word.withUnsafeBufferPointer { text in
    options.numbersAsJQ ? Decimal(text) != nil : isStrictNumber(text)
  }
  return isNumber ? nil : "Invalid numeric literal"
}

/// The error in the escapes of a string's text; nil when there is none.
func mistakeInString(_ text: ByteView) -> String? {
  var at = 0
  while at < text.count {
    let byte = text[at]
    at += 1
    if byte < 0x20 {
      return "Invalid string: control characters from U+0000 through U+001F must be escaped"
    }
    guard byte == 0x5c else { continue }
    guard at < text.count else { return "Expected escape character at end of string" }
    let escape = text[at]
    at += 1
    switch escape {
    case 0x22, 0x5c, 0x2f, 0x62, 0x66, 0x6e, 0x72, 0x74: continue
    case 0x75: break
    default: return "Invalid escape"
    }
    if at + 4 > text.count { return "Invalid \\uXXXX escape" }
    guard let unit = hexUnit(text, at) else { return "Invalid characters in \\uXXXX escape" }
    at += 4
    if unit & 0xfc00 == 0xd800 {
      guard at + 6 <= text.count, text[at] == 0x5c, text[at + 1] == 0x75, let low = hexUnit(text, at + 2),
        low & 0xfc00 == 0xdc00
      else { return "Invalid \\uXXXX\\uXXXX surrogate pair escape" }
      at += 6
    }
  }
  return nil
}
