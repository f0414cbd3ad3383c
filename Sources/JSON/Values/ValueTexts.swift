extension Value {
  /// A text from UTF-8 that is known to be valid.
  @inline(__always)
  public static func string(_ bytes: ByteView) -> Value { .string(Array(bytes)) }

  @inline(__always)
  public static func string(_ text: String) -> Value { .string(Array(text.utf8)) }

  /// A text from any bytes: what is not UTF-8 becomes U+FFFD.
  public static func string(repairing bytes: ByteView) -> Value {
    isValidUTF8(bytes) ? .string(bytes) : .string(repairedUTF8(bytes))
  }

  /// Calls `body` with the UTF-8 of a text; nil for everything that is not a text.
  ///
  /// The bytes are the document's own unless the text has escapes, and live as long as the call.
  @inline(__always)
  public func withText<R>(_ body: (ByteView) throws -> R) rethrows -> R? {
    switch self {
    case .string(let bytes): return try bytes.withUnsafeBufferPointer { try body($0) }
    case .view(let document, let index):
      let word = Value.word(document, index)
      guard Tape.kind(word) == Tape.string || Tape.kind(word) == Tape.key else { return nil }
      return try document.withText(word) { try body($0) }
    default: return nil
    }
  }

  /// The bytes of a text, copied where the value is a view; nil for everything that is not a text.
  @inline(__always)
  public var textBytes: [UInt8]? {
    if case .string(let bytes) = self { return bytes }
    return withText { Array($0) }
  }

  /// A text as a Swift `String`, nil for everything else.
  ///
  /// For messages and tests: it copies.
  public var string: String? { withText { String(decoding: $0, as: UTF8.self) } }

  @inline(__always)
  public var isString: Bool {
    switch self {
    case .string: return true
    case .view(let document, let index):
      let kind = Tape.kind(Value.word(document, index))
      return kind == Tape.string || kind == Tape.key
    default: return false
    }
  }

  /// True for a text of exactly these bytes.
  @inline(__always)
  public func isText(_ bytes: [UInt8]) -> Bool {
    bytes.withUnsafeBufferPointer { wanted in
      switch self {
      case .string(let own): return own.withUnsafeBufferPointer { sameBytes($0, wanted) }
      case .view(let document, let index):
        let word = Value.word(document, index)
        guard Tape.kind(word) == Tape.string || Tape.kind(word) == Tape.key else { return false }
        return document.keyMatches(word, wanted)
      default: return false
      }
    }
  }

  /// Adds to a text in place; false when this is not a text.
  @discardableResult
  mutating func appendText(_ more: ByteView) -> Bool {
    guard var bytes = textBytes else { return false }
    self = .null
    bytes.append(contentsOf: more)
    self = .string(bytes)
    return true
  }
}

extension Key {
  /// The key that a text names; nil for everything that is not a text.
  @inline(__always)
  public init?(_ value: Value) {
    if case .string(let bytes) = value {
      self.init(bytes: bytes)
      return
    }
    guard let key = value.withText({ Key($0) }) else { return nil }
    self = key
  }
}
