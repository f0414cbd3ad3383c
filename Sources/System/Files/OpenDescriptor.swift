import Glibc

/// The descriptor of an open file, closed with its last owner.
package final class OpenDescriptor: Sendable {
  package let number: Int32

  package init(owning number: Int32) { self.number = number }

  deinit { close(number) }

  package init(opening path: String, _ flags: Int32, mode: mode_t = 0, to what: String) throws(FileFailure) {
    number = retrying { open(path, flags | O_CLOEXEC, mode) }
    guard number >= 0 else { throw FileFailure(path, trying: what) }
  }

  /// The status of the open file.
  package var status: stat? {
    var status = stat()
    return fstat(number, &status) == 0 ? status : nil
  }
}

extension FileIdentity {
  package init(_ status: stat) { self.init(device: UInt(status.st_dev), inode: UInt(status.st_ino)) }

  /// The identity of the file at a path; nil if there is none.
  package init?(at path: String) {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    self.init(status)
  }
}

extension stat {
  package var isRegular: Bool { st_mode & S_IFMT == S_IFREG }
  package var isFolder: Bool { st_mode & S_IFMT == S_IFDIR }
}

/// Repeats a system call that was interrupted by a signal.
@inline(__always)
package func retrying<Number: FixedWidthInteger>(_ call: () -> Number) -> Number {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

/// The folder and the last component of a path.
package func splitPath(_ path: String) -> (folder: String, name: String) {
  guard let slash = path.utf8.lastIndex(of: 0x2f) else { return (".", path) }
  let name = String(path[path.index(after: slash)...])
  return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
}
