import Glibc

/// There is no port of loopback for a test.
package struct NoPort: Error {}

/// A socket that listens on a port of loopback, and the port.
package func openListener() throws -> (descriptor: Int32, port: Int) {
  let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
  var address = sockaddr_in()
  address.sin_family = sa_family_t(AF_INET)
  address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
  var size = socklen_t(MemoryLayout<sockaddr_in>.size)
  let result = withUnsafeMutablePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
      bind(listener, address, size) | listen(listener, 64) | getsockname(listener, address, &size)
    }
  }
  if result != 0 { throw NoPort() }
  return (listener, Int(UInt16(bigEndian: address.sin_port)))
}

/// Ports of loopback that nothing listens on at the moment.
package func freePorts(_ count: Int) throws -> [Int] {
  let listeners = try (0..<count).map { _ in try openListener() }
  for listener in listeners { close(listener.descriptor) }
  return listeners.map(\.port)
}
