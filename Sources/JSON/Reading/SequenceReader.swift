/// Reads a sequence of texts separated by RS bytes (RFC 7464, jq's `--seq`): an error costs the text that it is in, and
/// reading resumes at the next RS.
public final class SequenceReader {
  private let source: Reader.Source
  private let options: ParseOptions
  private var parser: TapeParser

  private var bytes: [UInt8] = []
  private var document = TapeDocument(capacity: 0)
  private var nextRoot = 0
  private var failure: ParseError?
  private var isFinal = false
  private var isSkipping = true
  /// The number of bytes when the last attempt found an unfinished value.
  private var tried = 0
  private var line = 1
  private var column = 0
  private var offset = 0

  private static let separator: UInt8 = 0x1e

  public init(options: ParseOptions = .jq, source: @escaping Reader.Source) {
    self.source = source
    self.options = options
    parser = TapeParser(options)
  }

  /// The next value, nil after the last.
  ///
  /// Throws `ParseError` for a text that is none, and may be asked again after that.
  public func next() throws -> Value? {
    while true {
      if nextRoot < document.roots.count {
        defer { nextRoot += 1 }
        return document[nextRoot]
      }
      if let failure {
        self.failure = nil
        throw failure
      }
      if try !advance() { return nil }
    }
  }

  /// Parses one more text, or as much of it as there is; false at the end.
  private func advance() throws -> Bool {
    if let stop = bytes.firstIndex(of: SequenceReader.separator) {
      parse(upTo: stop, isClosed: true)
      drop(stop + 1)
      isSkipping = false
      return true
    }
    if isFinal {
      guard !bytes.isEmpty || isSkipping else { return false }
      if isSkipping { drop(bytes.count) }
      finish()
      return true
    }
    // Offsets in the document are offsets here only where nothing was repaired or left out.
    if bytes.count > tried * 2, !bytes.starts(with: [0xef]), bytes.withUnsafeBufferPointer(isValidUTF8) {
      parse(upTo: bytes.count, isClosed: false)
    }
    try readMore()
    return true
  }

  private func readMore() throws {
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    let count = try piece.withUnsafeMutableBytes { try source($0) }
    isFinal = count == 0
    bytes.append(contentsOf: piece[..<count])
  }

  private func finish() {
    if isSkipping {
      isSkipping = false
      failure = error("Unfinished abandoned text", isAtEnd: true)
      return
    }
    parse(upTo: bytes.count, isClosed: true)
    drop(bytes.count)
  }

  private func parse(upTo stop: Int, isClosed: Bool) {
    nextRoot = 0
    document = TapeDocument(capacity: 0)
    guard !isSkipping else { return }
    document = bytes[..<stop].withUnsafeBufferPointer { TapeDocument(copying: $0) }
    var at = 0
    let end = document.rawCount
    while true {
      parser.skipSpace(document.raw, &at)
      guard at < end else { break }
      let root = document.tapeCount
      let start = at
      do throws(ParseFailure) {
        try parser.parse(document, &at, end: end, isFinal: isClosed)
      } catch {
        document.tapeCount = root
        at = start
        fail(error, start, isClosed)
        break
      }
      if isClosed, at == end, isNumber(root) {
        failure = error("Potentially truncated top-level numeric value", at: end)
        break
      }
      document.roots.append(UInt32(root))
    }
    tried = isClosed ? 0 : end - at
    if !isClosed { drop(at) }
  }

  private func isNumber(_ root: Int) -> Bool { Value.view(document, UInt32(root)).kind == .number }

  private func fail(_ reason: ParseFailure, _ start: Int, _ isClosed: Bool) {
    if case .incomplete = reason, !isClosed { return }
    let place = document.place(of: start)
    let text = ByteView(start: document.raw + start, count: document.rawCount - start)
    let found = Diagnosis.explain(
      text, line: line + place.line - 1, column: place.line == 1 ? column + place.column : place.column,
      offset: offset + start, options: options)
    if found.isAtEnd {
      guard isClosed else { return }
      failure = isLast ? found : error("Truncated value", at: document.rawCount)
    } else {
      failure = ParseError("\(found) (need RS to resync)", offset: found.offset)
      isSkipping = true
    }
  }

  /// No separator follows.
  private var isLast: Bool { isFinal && !bytes.contains(SequenceReader.separator) }

  /// An error at a byte of the text, its column counting the separator that follows.
  private func error(_ message: String, at end: Int = 0, isAtEnd: Bool = false) -> ParseError {
    let place = end > 0 ? document.place(of: end) : (line: 1, column: 0)
    let before = place.line == 1 ? column + place.column : place.column
    return ParseError(
      message, line: line + place.line - 1, column: before + (isLast ? 0 : 1), offset: offset + end,
      isAtEnd: isAtEnd || isLast)
  }

  private func drop(_ count: Int) {
    for byte in bytes[..<count] {
      column += 1
      if byte == 0x0a {
        line += 1
        column = 0
      }
    }
    offset += count
    bytes.removeFirst(count)
  }
}
