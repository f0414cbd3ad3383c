import Glibc

/// A connection to a server on the loopback, byte by byte if need be.
package final class LoopbackClient {
  private let descriptor: Int32
  private var received: [UInt8] = []

  /// Nil where nothing listens at the port.
  package init?(port: Int, patience seconds: Int = 20) {
    let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    self.descriptor = descriptor
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isUp = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, size) == 0 }
    }
    guard isUp else { return nil }
    var time = timeval(tv_sec: seconds, tv_usec: 0)
    setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
  }

  deinit { close(descriptor) }

  @discardableResult
  package func send(_ text: String) -> Bool {
    let bytes = Array(text.utf8)
    return Glibc.send(descriptor, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count
  }

  /// Sends a request with a body.
  package func request(
    _ body: String, to path: String = "/", method: String = "POST", headers: [String] = []
  ) {
    let head = ["\(method) \(path) HTTP/1.1", "Host: localhost", "Content-Length: \(body.utf8.count)"]
    send((head + headers).joined(separator: "\r\n") + "\r\n\r\n" + body)
  }

  /// Whether something can be read within some milliseconds.
  package func hasAnswer(within milliseconds: Int32) -> Bool {
    var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return !received.isEmpty || poll(&entry, 1, milliseconds) > 0
  }

  /// An answer: its status, its head and its body; nil where the connection ends before.
  package func answer() -> (status: Int, head: String, body: String)? {
    guard let head = read(upTo: { $0.firstRange(of: Array("\r\n\r\n".utf8))?.upperBound }) else { return nil }
    let words = head.split(separator: " ", maxSplits: 2)
    guard words.count > 1, let status = Int(words[1]) else { return nil }
    let length = head.split(separator: "\r\n").first { $0.lowercased().hasPrefix("content-length:") }
    let count = length.flatMap { Int($0.split(separator: " ").last ?? "") } ?? 0
    guard let body = read(upTo: { $0.count >= count ? count : nil }) else { return nil }
    return (status, head, body)
  }

  /// What is received until it ends so; nil where the connection ends before.
  package func text(until isEnd: (String) -> Bool) -> String? {
    read { isEnd(String(decoding: $0, as: UTF8.self)) ? $0.count : nil }
  }

  /// What is received up to an end that is found in it.
  private func read(upTo end: ([UInt8]) -> Int?) -> String? {
    var block = [UInt8](repeating: 0, count: 65536)
    while true {
      if let end = end(received) {
        defer { received.removeSubrange(..<end) }
        return String(decoding: received[..<end], as: UTF8.self)
      }
      let count = recv(descriptor, &block, block.count, 0)
      if count <= 0 { return nil }
      received += block[..<count]
    }
  }
}
