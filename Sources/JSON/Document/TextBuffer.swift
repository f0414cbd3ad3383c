/// Memory that text is read into, and that a document can take over as it is.
public struct TextBuffer: ~Copyable {
  var base: UnsafeMutablePointer<UInt8>
  /// Bytes of text that there is room for.
  public internal(set) var capacity: Int

  public init(capacity: Int) {
    self.capacity = capacity
    base = .allocate(capacity: capacity + Document.padding)
  }

  deinit { base.deallocate() }

  /// All of it, written to or not.
  public var memory: UnsafeMutableBufferPointer<UInt8> { .init(start: base, count: capacity) }
}
