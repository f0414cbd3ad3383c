import Glibc

extension Value {
  /// Reads the one value that a text holds.
  ///
  ///     try Value.parse(#"{"id": 7}"#).member("id")?.double   // 7.0
  public static func parse(_ text: String, _ options: ParseOptions = .jq) throws(ParseError) -> Value {
    var copy = text
    let result = copy.withUTF8 { bytes in Result { () throws(ParseError) in try parse(bytes, options) } }
    return try result.get()
  }

  /// The same from bytes, where what is not UTF-8 becomes U+FFFD.
  public static func parse(_ bytes: [UInt8], _ options: ParseOptions = .jq) throws(ParseError) -> Value {
    let result = bytes.withUnsafeBufferPointer { bytes in
      Result { () throws(ParseError) in try parse(bytes, options) }
    }
    return try result.get()
  }

  public static func parse(_ bytes: ByteView, _ options: ParseOptions = .jq) throws(ParseError) -> Value {
    let document = TapeDocument(copying: bytes)
    var parser = TapeParser(options)
    var at = 0
    let found = try document.parseNext(&parser, &at, isFinal: true, options)
    guard found else { throw ParseError("Expected JSON value") }
    if try document.parseNext(&parser, &at, isFinal: true, options) {
      throw ParseError("Unexpected extra JSON values")
    }
    return document[0]
  }
}

extension TapeDocument {
  /// A document of a copy of some bytes, repaired where they are not UTF-8 and without a byte order mark.
  convenience init(copying bytes: ByteView) {
    var hasDelete = false
    var source = bytes
    var repaired: [UInt8] = []
    if checkText(bytes, &hasDelete) < bytes.count { repaired = repairedUTF8(bytes) }
    let count = repaired.isEmpty ? bytes.count : repaired.count
    self.init(capacity: count)
    repaired.withUnsafeBufferPointer { replacement in
      if !replacement.isEmpty { source = replacement }
      let skipped = source.starts(with: [0xef, 0xbb, 0xbf]) ? 3 : 0
      rawCount = source.count - skipped
      if let base = source.baseAddress { memcpy(raw, base + skipped, rawCount) }
    }
    // The check for DEL ended at the first sequence that had to be repaired.
    self.hasDelete = hasDelete || !repaired.isEmpty
    pad()
  }

  /// Parses the value at or after `at` and adds it to the roots; false when only white space is left.
  func parseNext(
    _ parser: inout TapeParser, _ at: inout Int, isFinal: Bool, _ options: ParseOptions
  ) throws(ParseError) -> Bool {
    parser.skipSpace(raw, &at)
    guard at < rawCount else { return false }
    let start = at
    let root = tapeCount
    do throws(ParseFailure) {
      try parser.parse(self, &at, end: rawCount, isFinal: isFinal)
    } catch {
      let place = place(of: start)
      throw Diagnosis.explain(
        ByteView(start: raw + start, count: rawCount - start), line: place.line, column: place.column,
        offset: start, options: options)
    }
    roots.append(UInt32(truncatingIfNeeded: root))
    return true
  }

  /// The line of a byte, from 1, and the bytes before it on that line.
  func place(of offset: Int) -> (line: Int, column: Int) {
    var line = 1
    var start = 0
    while start < offset, let found = memchr(raw + start, 0x0a, offset - start) {
      line += 1
      start = found.assumingMemoryBound(to: UInt8.self) - UnsafeMutablePointer(raw) + 1
    }
    return (line, offset - start)
  }
}

extension Value {
  /// Reads all the values that a text holds, one after the other.
  public static func parseAll(_ bytes: [UInt8], _ options: ParseOptions = .jq) throws(ParseError) -> [Value] {
    let document = bytes.withUnsafeBufferPointer { TapeDocument(copying: $0) }
    var parser = TapeParser(options)
    var at = 0
    while try document.parseNext(&parser, &at, isFinal: true, options) {}
    return (0..<document.count).map { document[$0] }
  }
}

/// An error in a text that is not JSON: what is wrong, and where.
public struct ParseError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The flaw, in jq's words.
  public let message: String
  /// The line from 1; 0 where there is no position, as for a text without a value.
  public let line: Int
  /// Bytes since the line began, including the offending one; 0 just after a line break.
  public let column: Int
  /// Bytes from the beginning of the input to the offending one.
  public let offset: Int
  /// The input ended where more was needed.
  public let isAtEnd: Bool

  public init(_ message: String, line: Int = 0, column: Int = 0, offset: Int = 0, isAtEnd: Bool = false) {
    self.message = message
    self.line = line
    self.column = column
    self.offset = offset
    self.isAtEnd = isAtEnd
  }

  /// jq's form: `Invalid literal at line 1, column 5`.
  public var description: String {
    guard line > 0 else { return message }
    return "\(message)\(isAtEnd ? " at EOF" : "") at line \(line), column \(column)"
  }
}

/// The options of a parser: which numbers it accepts, and how deep containers may nest.
public struct ParseOptions: Sendable {
  /// Takes the numbers jq takes beyond the standard: `nan`, `infinity`, `01`, `.5`, `5.`, `+1`.
  public var numbersAsJQ: Bool
  /// How deep containers may nest.
  public var depthLimit: Int

  public init(numbersAsJQ: Bool = true, depthLimit: Int = 10_000) {
    self.numbersAsJQ = numbersAsJQ
    self.depthLimit = depthLimit
  }

  /// The numbers and limits of jq.
  public static let jq = ParseOptions()
  /// RFC 8259 only.
  public static let strict = ParseOptions(numbersAsJQ: false)
}
