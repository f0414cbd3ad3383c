/// The names of an object as they are written, `"name":` each, in memory that is read without counting references.
final class WrittenNames: Sendable {
  /// Written when it is made, and only read from then on.
  private nonisolated(unsafe) let bytes: UnsafeMutableBufferPointer<UInt8>
  private nonisolated(unsafe) let ends: UnsafeMutableBufferPointer<Int>

  init(_ keys: [Key]) {
    let output = Output()
    ends = .allocate(capacity: keys.count)
    for (number, key) in keys.enumerated() {
      output.putKey(key)
      output.put(0x3a)
      ends.initializeElement(at: number, to: output.bytes.count)
    }
    bytes = .allocate(capacity: output.bytes.count)
    _ = bytes.initialize(from: output.bytes)
  }

  deinit {
    bytes.deallocate()
    ends.deallocate()
  }

  @inline(__always)
  subscript(number: Int) -> ByteView {
    let start = number > 0 ? ends[number - 1] : 0
    return ByteView(rebasing: ByteView(bytes)[start..<ends[number]])
  }
}
