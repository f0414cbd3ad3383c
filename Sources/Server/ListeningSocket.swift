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
  /// The numeric address, or the path.
  package let host: String
  package let isPath: Bool
  /// The path to remove at the end.
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
    self.host = host
    isPath = false
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
    host = path
    isPath = true
    self.path = path
  }

  /// The first socket that a service manager has passed to this process, by the variables `LISTEN_PID` and `LISTEN_FDS`;
  /// nil where there is none.
  package init?(passed environment: (String) -> String?) throws(Failure) {
    guard environment("LISTEN_PID") == "\(getpid())",
      let count = environment("LISTEN_FDS").flatMap({ Int($0) }), count > 0
    else { return nil }
    descriptor = 3
    var (isListening, size): (Int32, _) = (0, socklen_t(MemoryLayout<Int32>.size))
    guard getsockopt(descriptor, SOL_SOCKET, SO_ACCEPTCONN, &isListening, &size) == 0, isListening == 1 else {
      throw Failure(description: "the descriptor that LISTEN_FDS passes is not a listening socket")
    }
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    (host, isPath) = Self.bound(descriptor)
    port = isPath ? 0 : Self.boundPort(descriptor)
    // Its path belongs to the manager.
    path = nil
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

  /// The numeric address of a socket, or its path.
  private static func bound(_ descriptor: Int32) -> (host: String, isPath: Bool) {
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var host = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    let isPath = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        _ = getsockname(descriptor, address, &size)
        if address.pointee.sa_family == sa_family_t(AF_UNIX) { return true }
        getnameinfo(address, size, &host, socklen_t(host.count), nil, 0, NI_NUMERICHOST)
        return false
      }
    }
    if !isPath { return (text(host), false) }
    let path = withUnsafeBytes(of: &storage) {
      Array($0.bindMemory(to: CChar.self).prefix(Int(size)).dropFirst(2))
    }
    // A name that begins with a zero byte is of the abstract kind.
    return path.first == 0 ? ("@" + text(Array(path.dropFirst())), true) : (text(path), true)
  }

  private static func text(_ characters: [CChar]) -> String {
    String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
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
