import Foundation
import Glibc

/// A service manager's socket, as systemd has one: receives the notices of a run.
final class ManagerSocket {
  private let descriptor: Int32
  /// What NOTIFY_SOCKET contains.
  let name: String
  private(set) var received: [String] = []

  init(isAbstract: Bool = false) {
    let unique = "flow-\(UUID().uuidString.prefix(8))"
    name = isAbstract ? "@\(unique)" : "/tmp/\(unique)"
    descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue), 0)
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) {
      $0.copyBytes(from: name.utf8)
      if isAbstract { $0[0] = 0 }
    }
    let length = socklen_t(2 + name.utf8.count)
    withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { _ = bind(descriptor, $0, length) }
    }
  }

  deinit {
    close(descriptor)
    if !name.hasPrefix("@") { unlink(name) }
  }

  /// The next notice; nil where none comes in time.
  func next(within seconds: Double = 60) -> String? {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    guard poll(&entry, 1, Int32(seconds * 1000)) == 1 else { return nil }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(descriptor, &buffer, buffer.count, 0)
    guard count >= 0 else { return nil }
    let notice = String(decoding: buffer.prefix(count), as: UTF8.self)
    received.append(notice)
    return notice
  }

  /// The first notice from now on that contains a text; nil where none does.
  func notice(with part: String) -> String? {
    while let notice = next() {
      if notice.contains(part) { return notice }
    }
    return nil
  }
}
