import Glibc
import System

/// The part of the network that an address belongs to: what a page may reach depends on where the page itself is from.
enum AddressReach: Int, Comparable {
  case world
  /// A private network, such as 192.168.0.0/16.
  case network
  case machine
  /// The link itself, as for the metadata of a cloud's machine, and what is of no use for a connection.
  case link

  static func < (left: AddressReach, right: AddressReach) -> Bool { left.rawValue < right.rawValue }

  /// Whether a page of this reach may connect to an address of another.
  func mayReach(_ other: AddressReach) -> Bool { other == .world || other != .link && other <= self }

  /// The reach of the bytes of an address, four or sixteen.
  init(_ bytes: [UInt8]) {
    if bytes.count == 4 {
      self = Self.ofVersion4(bytes)
    } else if bytes.starts(with: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff])
      || bytes.starts(with: [0, 0x64, 0xff, 0x9b, 0, 0, 0, 0, 0, 0, 0, 0])
    {
      // Version 4 within version 6, and behind a translator.
      self = Self.ofVersion4(Array(bytes.suffix(4)))
    } else if bytes.starts(with: [0x20, 0x02]) {
      self = Self.ofVersion4(Array(bytes[2..<6]))
    } else if bytes.dropLast().allSatisfy({ $0 == 0 }) {
      self = bytes.last == 1 ? .machine : .link
    } else if bytes.dropLast(4).allSatisfy({ $0 == 0 }) {
      self = .link
    } else if bytes.first.map({ $0 & 0xfe == 0xfc }) ?? true {
      self = .network
    } else if bytes[0] == 0xff || bytes[0] == 0xfe {
      // Those of a site, which are no longer given, are as good as private.
      self = bytes[0] == 0xfe && bytes[1] & 0xc0 == 0xc0 ? .network : .link
    } else {
      self = .world
    }
  }

  private static func ofVersion4(_ bytes: [UInt8]) -> AddressReach {
    switch (bytes[0], bytes[1]) {
    case (127, _): .machine
    case (10, _), (172, 16...31), (192, 168), (100, 64...127), (198, 18...19): .network
    case (0, _), (169, 254), (192, 0), (224...255, _): .link
    default: .world
    }
  }
}

/// An address that a name has, as the system connects to it.
struct ResolvedAddress {
  let reach: AddressReach
  fileprivate let family: Int32
  fileprivate let bytes: [UInt8]

  /// The addresses of a host, which may be one itself, with or without brackets.
  static func all(of host: String, port: Int) throws(Sentence) -> [ResolvedAddress] {
    let name = host.hasPrefix("[") ? String(host.dropFirst().dropLast()) : host
    var hints = addrinfo()
    hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
    var first: UnsafeMutablePointer<addrinfo>?
    let code = getaddrinfo(name, "\(port)", &hints, &first)
    guard code == 0 else { throw Sentence("\(host) is not found: \(String(cString: gai_strerror(code)))") }
    defer { freeaddrinfo(first) }
    var found: [ResolvedAddress] = []
    var next = first
    while let entry = next?.pointee {
      next = entry.ai_next
      guard let address = entry.ai_addr else { continue }
      let bytes = Array(UnsafeRawBufferPointer(start: address, count: Int(entry.ai_addrlen)))
      switch entry.ai_family {
      case AF_INET where bytes.count >= 8:
        found.append(.init(reach: AddressReach(Array(bytes[4..<8])), family: AF_INET, bytes: bytes))
      case AF_INET6 where bytes.count >= 24:
        found.append(.init(reach: AddressReach(Array(bytes[8..<24])), family: AF_INET6, bytes: bytes))
      default: break
      }
    }
    return found
  }

  /// A connection to it; nil where it takes too long or is refused, which `errno` says.
  func connect(for time: Duration) -> OpenDescriptor? {
    let flags = Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue)
    let number = Glibc.socket(family, flags, 0)
    guard number >= 0 else { return nil }
    let socket = OpenDescriptor(owning: number)
    let code = bytes.withUnsafeBytes { bytes -> Int32 in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      return Glibc.connect(socket.number, address, socklen_t(bytes.count))
    }
    if code == 0 { return socket }
    guard errno == EINPROGRESS else { return nil }
    guard awaitDescriptors([.output(socket.number)], for: time)[0] else {
      errno = ETIMEDOUT
      return nil
    }
    var (failure, size): (Int32, _) = (0, socklen_t(MemoryLayout<Int32>.size))
    getsockopt(socket.number, SOL_SOCKET, SO_ERROR, &failure, &size)
    errno = failure
    return failure == 0 ? socket : nil
  }
}
