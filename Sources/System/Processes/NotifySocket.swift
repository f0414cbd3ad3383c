import Glibc

/// The socket on which a service manager receives notices (`NOTIFY_SOCKET`), a datagram each: the protocol of sd_notify.
package struct NotifySocket: Sendable {
  /// How long a manager that does not read is waited for, in seconds.
  private static let timeout = 2

  private let name: [UInt8]

  /// Nil for what is neither an absolute path nor, after `@`, a name in the abstract name space, or is too long.
  package init?(_ path: String) {
    name = Array(path.utf8)
    guard let first = name.first, first == UInt8(ascii: "/") || first == UInt8(ascii: "@"), name.count > 1,
      name.count < MemoryLayout.size(ofValue: sockaddr_un().sun_path)
    else { return nil }
  }

  /// Sends assignments such as `READY=1` in one datagram; returns whether the manager has them.
  @discardableResult
  package func send(_ assignments: [String]) -> Bool {
    let socket = Descriptor(
      owning: socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0))
    guard socket.isOpen else { return false }
    LocalSocket.setTimeout(Self.timeout, of: socket.number)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let isAbstract = name.first == UInt8(ascii: "@")
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: name)
      if isAbstract { $0[0] = 0 }
    }
    // The name of an abstract socket ends with the address; that of a file with a zero.
    let room = MemoryLayout.size(ofValue: address.sun_path)
    let length = socklen_t(MemoryLayout<sockaddr_un>.size - room + name.count + (isAbstract ? 0 : 1))
    let message = Array(assignments.joined(separator: "\n").utf8)
    let sent = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        message.withUnsafeBytes {
          sendto(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL), address, length)
        }
      }
    }
    return sent == message.count
  }
}
