import CZ

/// A decompressor of gzip data that comes in pieces, one member after the other.
///
///     inflater.feed(piece)
///     while !inflater.isHungry { let (count, flaw) = inflater.next(into: buffer) … }
///     guard inflater.isWhole else { … }  // cut off
package final class Inflater {
  /// zlib keeps a pointer to it, so it must not move.
  private let stream: UnsafeMutablePointer<z_stream>
  /// Whether the data that it was fed ends with a member.
  package private(set) var isWhole = false
  private var isInMember = true

  package init() throws(Sentence) {
    stream = .allocate(capacity: 1)
    stream.initialize(to: z_stream())
    // 16: gzip's own header and checksum, and nothing else.
    let code = inflateInit2_(stream, 16 + MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    guard code == Z_OK else { throw Sentence("cannot unpack: \(gzipReason(code))") }
  }

  deinit {
    inflateEnd(stream)
    stream.deallocate()
  }

  /// Whether it has used all that it was fed.
  package var isHungry: Bool { stream.pointee.avail_in == 0 }

  /// Takes the next compressed bytes, which must stay where they are until it is hungry again.
  package func feed(_ bytes: UnsafeRawBufferPointer) {
    stream.pointee.next_in = UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(
      to: UInt8.self)
    stream.pointee.avail_in = UInt32(bytes.count)
  }

  /// Decompresses into a buffer, until there is something in it or nothing left; a flaw lies behind these bytes.
  package func next(into buffer: UnsafeMutableRawBufferPointer) -> (count: Int, flaw: String?) {
    let room = UInt32(clamping: buffer.count)
    stream.pointee.next_out = buffer.baseAddress?.assumingMemoryBound(to: UInt8.self)
    stream.pointee.avail_out = room
    while stream.pointee.avail_out == room, !isHungry {
      guard isInMember || startMember() else { continue }
      let code = inflate(stream, Z_NO_FLUSH)
      isWhole = code == Z_STREAM_END
      switch code {
      case Z_OK, Z_BUF_ERROR: break
      case Z_STREAM_END: isInMember = false
      default:
        let what = stream.pointee.msg.map { String(cString: $0) } ?? gzipReason(code)
        return (Int(room - stream.pointee.avail_out), "is damaged (\(what))")
      }
    }
    return (Int(room - stream.pointee.avail_out), nil)
  }

  /// Begins with what follows a member: another one, possibly after padding zeros.
  private func startMember() -> Bool {
    while stream.pointee.avail_in > 0, stream.pointee.next_in.pointee == 0 {
      stream.pointee.next_in += 1
      stream.pointee.avail_in -= 1
    }
    guard !isHungry else { return false }
    inflateReset(stream)
    isInMember = true
    return true
  }
}

/// zlib's text for an error, for messages.
package func gzipReason(_ code: Int32) -> String {
  zError(code).map { String(cString: $0) } ?? "error \(code)"
}
