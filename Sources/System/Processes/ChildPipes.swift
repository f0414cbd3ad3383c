import CGlibc
import Glibc

extension Descriptor {
  /// What a child is to read, as a file in memory; none at all if that is nothing.
  ///
  /// Not a pipe: if we were killed, a child that had just been started would take the part that it was given for all.
  package static func holding(_ bytes: [UInt8]) throws(StartFailure) -> Descriptor {
    if bytes.isEmpty { return .none }
    let file = Descriptor(owning: flow_memory_file()).aboveStandardFiles()
    guard file.isOpen else { throw StartFailure(SystemError("memfd_create")) }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { bytes in
        Glibc.write(file.number, bytes.baseAddress.map { $0 + written }, bytes.count - written)
      }
      guard count > 0 || errno == EINTR else { throw StartFailure(SystemError("write")) }
      written += max(0, count)
    }
    lseek(file.number, 0, SEEK_SET)
    return file
  }
}

/// Our end of a pipe that a child prints to.
package struct ChildOutput: ~Copyable {
  private var pipe: Descriptor

  package init(from pipe: consuming Descriptor) {
    self.pipe = pipe
    if self.pipe.isOpen { self.pipe.neverBlock() }
  }

  /// What to wait for bytes on; -1 when there will be none.
  package var number: Int32 { pipe.number }

  /// Reads what is there, a buffer full at most; nil when there is nothing now, and closed at the end.
  package mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> UnsafeRawBufferPointer? {
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
