import CZ

/// The bytes as one gzip member.
package func gzipped(_ bytes: [UInt8]) -> [UInt8] {
  var stream = z_stream()
  deflateInit2_(
    &stream, 6, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION,
    Int32(MemoryLayout<z_stream>.size))
  defer { deflateEnd(&stream) }
  var source = bytes
  var packed = [UInt8](repeating: 0, count: Int(deflateBound(&stream, UInt(bytes.count))))
  let room = packed.count
  return source.withUnsafeMutableBufferPointer { source in
    packed.withUnsafeMutableBufferPointer { target in
      stream.next_in = source.baseAddress
      stream.avail_in = UInt32(source.count)
      stream.next_out = target.baseAddress
      stream.avail_out = UInt32(room)
      deflate(&stream, Z_FINISH)
      return Array(target[..<(room - Int(stream.avail_out))])
    }
  }
}
