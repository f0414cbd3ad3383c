import Glibc

/// A listening socket: on an address and port, by default on the loopback, or at a path.
package struct ListeningSocket: Sendable {
  /// Why there is no socket: a sentence without a full stop.
  package struct Failure: Error, Equatable, CustomStringConvertible {
    package let description: String
    /// Whether another process listens there.
    package var isInUse = false
  }

  package let descriptor: Int32
  /// The port; 0 for a socket at a path.
  package let port: Int
  private let path: String?

  /// Listens on the loopback; port 0 is any free port.
  package init(port wanted: Int) throws(Failure) { try self.init(host: "127.0.0.1", port: wanted) }

  /// Listens on a numeric address.
  package init(host: String, port wanted: Int) throws(Failure) {
    guard let number = UInt16(exactly: wanted) else {
      throw Failure(description: "there is no port \(wanted); ports go from 0 to 65535")
    }
    var (v4, v6) = (sockaddr_in(), sockaddr_in6())
    if inet_pton(AF_INET, host, &v4.sin_addr) == 1 {
      v4.sin_family = sa_family_t(AF_INET)
      v4.sin_port = number.bigEndian
      descriptor = try Self.listen(AF_INET, &v4, port: wanted)
    } else if inet_pton(AF_INET6, host, &v6.sin6_addr) == 1 {
      v6.sin6_family = sa_family_t(AF_INET6)
      v6.sin6_port = number.bigEndian
      descriptor = try Self.listen(AF_INET6, &v6, port: wanted)
    } else {
      throw Failure(description: "“\(host)” is not a numeric address, such as 127.0.0.1 or ::1")
    }
    port = Self.boundPort(descriptor)
    path = nil
  }

  /// Listens at a path, for this user only.
  ///
  /// A socket that another process has left there is replaced; one that is in
  /// use, and any other file, is not.
  package init(path: String) throws(Failure) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let bytes = Array(path.utf8)
    guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
      throw Failure(description: "the path of a socket has 1 to 107 bytes, “\(path)” has \(bytes.count)")
    }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    if Self.isLeftBehind(path, address) { unlink(path) }
    let mask = umask(0o177)
    defer { umask(mask) }
    descriptor = try Self.listen(AF_UNIX, &address, at: path)
    port = 0
    self.path = path
  }

  package func close() {
    _ = Glibc.close(descriptor)
    removePath()
  }

  /// Removes the socket's path, when the server has closed the descriptor.
  package func removePath() {
    if let path { unlink(path) }
  }

  private static func listen<Address>(
    _ family: Int32, _ address: inout Address, port: Int = 0, at path: String? = nil
  ) throws(Failure) -> Int32 {
    let descriptor = socket(family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    var on: Int32 = 1
    if family != AF_UNIX {
      setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size))
    }
    let size = socklen_t(MemoryLayout<Address>.size)
    let isUp = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(descriptor, address, size) == 0 && Glibc.listen(descriptor, 64) == 0
      }
    }
    if isUp { return descriptor }
    let reason = errno
    _ = Glibc.close(descriptor)
    if let path { throw Failure(description: "\(path): \(String(cString: strerror(reason)))") }
    throw Failure(
      description: reason == EADDRINUSE
        ? "port \(port) is in use; port 0 takes a free one"
        : "port \(port) cannot be had: \(String(cString: strerror(reason)))",
      isInUse: reason == EADDRINUSE)
  }

  private static func boundPort(_ descriptor: Int32) -> Int {
    var storage = sockaddr_in6()
    var size = socklen_t(MemoryLayout<sockaddr_in6>.size)
    withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = getsockname(descriptor, $0, &size) }
    }
    // The port lies at the same place for both families.
    return Int(UInt16(bigEndian: storage.sin6_port))
  }

  /// Whether a socket lies at the path to which nothing listens.
  private static func isLeftBehind(_ path: String, _ address: sockaddr_un) -> Bool {
    var status = stat()
    guard lstat(path, &status) == 0, status.st_mode & S_IFMT == S_IFSOCK else { return false }
    let probe = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { _ = Glibc.close(probe) }
    var address = address
    let size = socklen_t(MemoryLayout<sockaddr_un>.size)
    let isAnswered = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(probe, $0, size) == 0 }
    }
    return !isAnswered && errno == ECONNREFUSED
  }
}
