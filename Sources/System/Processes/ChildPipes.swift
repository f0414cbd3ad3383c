import CGlibc
import Glibc

extension Descriptor {
  /// The standard input of a child, as a file in memory; none if it is empty.
  ///
  /// Not a pipe: if this process were killed, a child that had just started would take a part of the input for all of
  /// it.
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

/// This process's end of a pipe to which a child prints.
package struct ChildOutput: ~Copyable {
  private var pipe: Descriptor

  package init(from pipe: consuming Descriptor) {
    self.pipe = pipe
    if self.pipe.isOpen { self.pipe.neverBlock() }
  }

  /// The descriptor to wait for; -1 when there will be no more bytes.
  package var number: Int32 { pipe.number }

  /// Reads available bytes, at most a buffer; nil if there are none now.
  ///
  /// Closed at the end.
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
