import Glibc

/// An open file's number, closed with its last holder.
package final class OpenDescriptor: Sendable {
  package let number: Int32

  package init(owning number: Int32) { self.number = number }

  deinit { close(number) }

  package init(opening path: String, _ flags: Int32, mode: mode_t = 0, to what: String) throws(FileFailure) {
    number = retrying { open(path, flags | O_CLOEXEC, mode) }
    guard number >= 0 else { throw FileFailure(path, trying: what) }
  }

  /// What the system knows of the open file.
  package var status: stat? {
    var status = stat()
    return fstat(number, &status) == 0 ? status : nil
  }
}

extension FileIdentity {
  package init(_ status: stat) { self.init(device: UInt(status.st_dev), inode: UInt(status.st_ino)) }

  /// Of the file that the path names now, nil where there is none.
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

/// Calls the system again where a signal came between.
@inline(__always)
package func retrying<Number: FixedWidthInteger>(_ call: () -> Number) -> Number {
  while true {
    let result = call()
    if result != -1 || errno != EINTR { return result }
  }
}

/// The folder that a path's last part is in, and that part.
package func splitPath(_ path: String) -> (folder: String, name: String) {
  guard let slash = path.utf8.lastIndex(of: 0x2f) else { return (".", path) }
  let name = String(path[path.index(after: slash)...])
  return (slash == path.startIndex ? "/" : String(path[..<slash]), name)
}
