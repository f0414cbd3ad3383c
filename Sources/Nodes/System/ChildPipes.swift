import Glibc

/// What a child is to read, and our end of the pipe it reads it from.
struct ChildInput: ~Copyable {
  private var pipe: Descriptor
  private let bytes: [UInt8]
  private var written = 0

  init(_ bytes: [UInt8], into pipe: consuming Descriptor) {
    self.bytes = bytes
    self.pipe = pipe
    if self.pipe.isOpen { self.pipe.neverBlock() }
  }

  /// What to wait for room on; -1 when there is nothing left to write.
  var number: Int32 { pipe.number }

  mutating func close() { pipe.close() }

  /// Writes as much as there is room for; closes when all is written, or nobody reads any more.
  mutating func write() {
    let count = bytes.withUnsafeBytes { bytes in
      Glibc.write(pipe.number, bytes.baseAddress.map { $0 + written }, bytes.count - written)
    }
    if count >= 0 {
      written += count
      if written == bytes.count { pipe.close() }
    } else if errno != EAGAIN, errno != EINTR {
      pipe.close()
    }
  }
}

/// Our end of a pipe that a child prints to.
struct ChildOutput: ~Copyable {
  private var pipe: Descriptor

  init(from pipe: consuming Descriptor) {
    self.pipe = pipe
    if self.pipe.isOpen { self.pipe.neverBlock() }
  }

  /// What to wait for bytes on; -1 when there will be none.
  var number: Int32 { pipe.number }

  /// Reads what is there, a buffer full at most; nil when there is nothing now, and closed at the end.
  mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer? {
    if !pipe.isOpen { return nil }
    while true {
      let count = Glibc.read(pipe.number, buffer.baseAddress, buffer.count)
      if count > 0 { return UnsafeRawBufferPointer(rebasing: buffer[..<count]) }
      if count < 0, errno == EINTR { continue }
      if count == 0 || errno != EAGAIN { pipe.close() }
      return nil
    }
  }
}
