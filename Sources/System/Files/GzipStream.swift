import CZ

/// Decompresses gzip data as it arrives, one member after the other.
package final class GzipStream {
  /// Returns the next compressed bytes; 0 at the end.
  package typealias Source = (UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int

  private let path: String
  private let source: Source
  /// zlib keeps a pointer to it, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  private let packed = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 16)
  private var isInMember = true
  private var flaw: FileFailure?
  /// Bytes returned so far.
  private var good = 0

  package init(path: String, source: @escaping Source) throws(FileFailure) {
    self.path = path
    self.source = source
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 16: gzip's own header and checksum, and nothing else.
    let code = inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { throw FileFailure(path, "cannot unpack: \(gzipReason(code))") }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
    packed.deallocate()
  }

  /// Fills the buffer with some decompressed bytes; 0 at the end.
  ///
  /// Throws only after everything that could be decompressed has been returned.
  package func read(into buffer: UnsafeMutableRawBufferPointer) throws(FileFailure) -> Int {
    if let flaw { throw flaw }
    let room = UInt32(clamping: buffer.count)
    stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = room
    while stream.pointee.avail_out == room {
      guard try fill() else { return 0 }
      guard isInMember || startMember() else { continue }
      let code = inflate(stream, Z_NO_FLUSH)
      switch code {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END: isInMember = false
      default:
        let what = stream.pointee.msg.map { String(cString: $0) } ?? gzipReason(code)
        try fail("is damaged (\(what))", Int(room - stream.pointee.avail_out))
      }
    }
    let count = Int(room - stream.pointee.avail_out)
    good += count
    return count
  }

  /// False at the end of the compressed bytes.
  private func fill() throws(FileFailure) -> Bool {
    guard stream.pointee.avail_in == 0 else { return true }
    let count = try source(packed)
    stream.pointee.next_in = packed.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_in = UInt32(count)
    if count == 0, isInMember { try fail("is cut off", 0) }
    return count > 0
  }

  /// Begins with what follows a member: another one, possibly after padding zeros.
  private func startMember() -> Bool {
    while stream.pointee.avail_in > 0, stream.pointee.next_in.pointee == 0 {
      stream.pointee.next_in += 1
      stream.pointee.avail_in -= 1
    }
    guard stream.pointee.avail_in > 0 else { return false }
    inflateReset(stream)
    isInMember = true
    return true
  }

  /// Throws, or keeps the failure until the bytes before it have been returned.
  private func fail(_ what: String, _ count: Int) throws(FileFailure) {
    let failure = FileFailure(path, "the gzip data \(what) after \(good + count) good bytes")
    flaw = failure
    if count == 0 { throw failure }
  }
}
