import Glibc

/// A Unix socket with a name in a folder, which only the user's own processes reach.
///
/// The path of such a socket has at most 107 bytes; a longer one goes through the descriptor of its folder.
package enum LocalSocket {
  /// Listens at a path, with mode 0600; nothing may be there.
  package static func listen(at path: String) throws(SystemError) -> Descriptor {
    let socket = try make()
    // Before `bind`, which creates the file with the mode of the socket: a `chmod` of the path would follow a link.
    guard fchmod(socket.number, 0o600) == 0 else { throw SystemError("fchmod") }
    try withAddress(of: path) { address, length in Glibc.bind(socket.number, address, length) }
    guard Glibc.listen(socket.number, 16) == 0 else { throw SystemError("listen") }
    return socket
  }

  /// Connects to a socket of this user or of root; `ECONNREFUSED` where its process has ended without removing it.
  package static func connect(to path: String) throws(SystemError) -> Descriptor {
    let socket = try make()
    try withAddress(of: path) { address, length in Glibc.connect(socket.number, address, length) }
    guard isOwn(socket.number) else { throw SystemError("connect", code: EACCES) }
    return socket
  }

  /// Accepts a connection of this user or of root; none where another user has connected, or it is gone already.
  package static func accept(on listener: Int32) -> Descriptor {
    let connection = Descriptor(owning: Glibc.accept(listener, nil, nil))
    guard connection.isOpen else { return .none }
    _ = fcntl(connection.number, F_SETFD, FD_CLOEXEC)
    return isOwn(connection.number) ? connection : .none
  }

  /// Whether the other side belongs to this user or to root.
  private static func isOwn(_ connection: Int32) -> Bool {
    // A `struct ucred`: process, user and group.
    var peer: [UInt32] = [0, .max, .max]
    var size = socklen_t(12)
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0
      && (peer[1] == geteuid() || peer[1] == 0)
  }

  /// Limits how long a read or a write may wait.
  package static func setTimeout(_ seconds: Int, of socket: Int32) {
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    let size = socklen_t(MemoryLayout<timeval>.size)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, size)
    setsockopt(socket, SOL_SOCKET, SO_SNDTIMEO, &time, size)
  }

  /// Reads a line without its end; nil where none comes, or it is too long.
  package static func readLine(from socket: Int32) -> [UInt8]? {
    var line: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 14)
    while line.count < 64 << 20 {
      let count = recv(socket, &chunk, chunk.count, 0)
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return nil }
      if let end = chunk[..<count].firstIndex(of: 0x0a) { return line + chunk[..<end] }
      line += chunk[..<count]
    }
    return nil
  }

  /// Writes everything; false where the other side has gone, or does not read in time.
  package static func write(_ bytes: [UInt8], to socket: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { send(socket, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { return false }
      rest = rest.dropFirst(count)
    }
    return true
  }

  private static func make() throws(SystemError) -> Descriptor {
    let socket = Descriptor(
      owning: socket(AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    ).aboveStandardFiles()
    guard socket.isOpen else { throw SystemError("socket") }
    return socket
  }

  private static func withAddress(
    of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
  ) throws(SystemError) {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let room = MemoryLayout.size(ofValue: address.sun_path) - 1
    var name = path
    var folder = Descriptor.none
    if name.utf8.count > room {
      let (parent, last) = splitPath(path)
      folder = Descriptor(owning: open(parent, O_RDONLY | O_DIRECTORY | O_CLOEXEC))
      guard folder.isOpen else { throw SystemError("open") }
      name = "/proc/self/fd/\(folder.number)/\(last)"
    }
    guard name.utf8.count <= room else { throw SystemError("bind", code: ENAMETOOLONG) }
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: name.utf8) }
    let length = socklen_t(MemoryLayout<sockaddr_un>.size)
    let result = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, length) }
    }
    guard result == 0 else { throw SystemError("connect") }
    _ = folder.number
  }
}
