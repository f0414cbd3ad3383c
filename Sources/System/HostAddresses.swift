import Glibc

/// The addresses of this machine at which others on its network reach it: of interfaces that are up, without those of the
/// loopback and of single links.
///
///     hostAddresses(version6: false)  // ["192.168.1.20"]
public func hostAddresses(version6: Bool) -> [String] {
  var first: UnsafeMutablePointer<ifaddrs>?
  guard getifaddrs(&first) == 0 else { return [] }
  defer { freeifaddrs(first) }
  var found: [String] = []
  var next = first
  while let entry = next?.pointee {
    next = entry.ifa_next
    let isUp = entry.ifa_flags & UInt32(IFF_UP) != 0
    guard isUp, entry.ifa_flags & UInt32(IFF_LOOPBACK) == 0, let address = entry.ifa_addr else {
      continue
    }
    let family = Int32(address.pointee.sa_family)
    guard family == AF_INET || version6 && family == AF_INET6 else { continue }
    let size = family == AF_INET ? MemoryLayout<sockaddr_in>.size : MemoryLayout<sockaddr_in6>.size
    var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
    guard getnameinfo(address, socklen_t(size), &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0
    else {
      continue
    }
    let name = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    if !name.hasPrefix("fe80:"), !found.contains(name) { found.append(name) }
  }
  return found
}
