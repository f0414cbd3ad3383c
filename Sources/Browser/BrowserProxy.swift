import Fetch
import Glibc
import JSON
import Reactive
import Server
import System

/// The proxy on loopback through which everything goes that Chromium loads.
///
/// It resolves names itself and connects to no address that the page may not reach. Each page has a name and a password
/// for it, so it knows whose connection one is; the browser's own requests have none, and are refused.
final class BrowserProxy: Sendable {
  /// The use that a page has made of it.
  struct Usage: Sendable {
    var bytes = 0
    /// Addresses of this machine and its networks that it has asked for.
    var refused: Set<String> = []
    /// The reasons of connections that failed, by host and port.
    var failures: [String: String] = [:]
  }

  /// A page that is let in.
  struct Visitor: Sendable {
    let host: String
    /// The reach of the address that its own host had first: a name may get another one meanwhile, to be let in by that.
    private(set) var reach: AddressReach?
    fileprivate var usage = Usage()
    fileprivate var connections: Set<Int32> = []

    init(host: String) { self.host = host }

    /// Whether it may connect to an address of a host.
    func mayReach(_ address: AddressReach, of host: String) -> Bool {
      let isOwn = host == self.host
      guard let reach else { return isOwn || address == .world }
      return reach.mayReach(address) || isOwn && address == reach
    }

    /// Notes that it has connected to one.
    mutating func noteConnection(to address: AddressReach, of host: String) {
      if host == self.host, reach == nil { reach = address }
    }
  }

  /// The most connections at once; more are closed.
  private static let mostConnections = 512
  private static let connectTime = Duration.seconds(15)
  private static let longestHead = 1 << 18
  /// How long a connection may be silent.
  private static let longestSilence = Duration.seconds(300)

  private let socket: ListeningSocket
  private let visitors = Locked<[String: Visitor]>([:])
  private let connections = Locked(0)
  private let isOpen = Locked(true)

  var port: Int { socket.port }

  init() throws(TransferError) {
    do { socket = try ListeningSocket(port: 0) } catch {
      throw TransferError(.failed, "there is no proxy for the browser: \(error)")
    }
    let descriptor = socket.descriptor
    let isStarted = startThread(named: "flow-proxy") { [weak self] in
      while true {
        let connection = Descriptor(owning: accept(descriptor, nil, nil))
        if !connection.isOpen {
          if errno == EMFILE || errno == ENFILE || errno == ECONNABORTED || errno == EINTR {
            usleep(10_000)
            continue
          }
          break
        }
        _ = fcntl(connection.number, F_SETFD, FD_CLOEXEC)
        guard let self else { break }
        self.take(connection)
      }
      Glibc.close(descriptor)
    }
    if !isStarted { throw TransferError(.failed, "there is no thread for the browser's proxy") }
  }

  deinit { close() }

  /// Takes no more connections.
  func close() {
    // Once: its thread then closes the descriptor, whose number may become another's.
    let wasOpen = isOpen.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    if wasOpen { shutdown(socket.descriptor, Int32(SHUT_RDWR)) }
  }

  /// Lets a page in that is at a host; returns its name and password.
  func admit(_ host: String) -> (name: String, password: String) {
    var random = SystemRandomNumberGenerator()
    let (name, password) = (
      hexDigits(of: random.next()), hexDigits(of: random.next()) + hexDigits(of: random.next())
    )
    visitors.withLock { $0[Self.credentials(name, password)] = Visitor(host: host) }
    return (name, password)
  }

  /// The use of a page so far.
  func usage(_ visitor: (name: String, password: String)) -> Usage {
    visitors.withLock { $0[Self.credentials(visitor.name, visitor.password)]?.usage ?? Usage() }
  }

  /// Ends the connections of a page.
  func dismiss(_ visitor: (name: String, password: String)) {
    visitors.withLock { visitors in
      let gone = visitors.removeValue(forKey: Self.credentials(visitor.name, visitor.password))
      // Under the lock: one that has been closed meanwhile is not listed any more.
      for number in gone?.connections ?? [] { shutdown(number, Int32(SHUT_RDWR)) }
    }
  }

  private static func credentials(_ name: String, _ password: String) -> String {
    "Basic " + String(decoding: Radix.base64.encode(Array("\(name):\(password)".utf8)), as: UTF8.self)
  }

  // MARK: - A connection

  private func take(_ connection: consuming Descriptor) {
    let isAccepted = connections.withLock { count in
      count += 1
      return count <= Self.mostConnections
    }
    var connection = connection
    let number = connection.release()
    let isServed =
      isAccepted
      && startThread(named: "flow-proxy") { [self] in
        serve(number)
        connections.withLock { $0 -= 1 }
      }
    if !isServed {
      Glibc.close(number)
      connections.withLock { $0 -= 1 }
    }
  }

  private func serve(_ number: Int32) {
    let client = Descriptor(owning: number)
    client.neverBlock()
    var rest: [UInt8] = []
    guard let head = readHead(client.number, &rest) else { return }
    guard let key = head["proxy-authorization"], join(key, client.number) else {
      let answer =
        "HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm=\"flow\"\r\n"
      _ = send("\(answer)Content-Length: 0\r\nConnection: close\r\n\r\n", to: client.number)
      return
    }
    defer { leave(key, client.number) }
    guard let (host, port) = head.destination else { return }
    let server: OpenDescriptor
    do throws(Sentence) { server = try dial(host, port, key) } catch {
      note(key) { $0.failures["\(host):\(port)"] = "\(error)" }
      // A page of the proxy's own would be taken for the server's.
      if head.words[0] == "CONNECT" { _ = send("HTTP/1.1 502 Bad Gateway\r\n\r\n", to: client.number) }
      return
    }
    defer { leave(key, server.number) }
    guard join(key, server.number) else { return }
    var allowance = Int.max
    if head.words[0] == "CONNECT" {
      guard send("HTTP/1.1 200 Connected\r\n\r\n", to: client.number),
        rest.isEmpty || send(rest, to: server.number)
      else { return }
    } else {
      // One exchange for each connection: another may be for another server.
      allowance = head["transfer-encoding"] == nil ? Int(head["content-length"] ?? "") ?? 0 : .max
      guard send(head.closing(head.lineForServer) + rest.prefix(allowance), to: server.number) else { return }
      allowance -= min(allowance, rest.count)
      guard passHead(from: server.number, to: client.number, key, &allowance) else { return }
    }
    relay(client.number, server.number, key, allowance)
  }

  private func join(_ key: String, _ number: Int32) -> Bool {
    visitors.withLock { $0[key]?.connections.insert(number) != nil }
  }

  private func leave(_ key: String, _ number: Int32) {
    visitors.withLock { _ = $0[key]?.connections.remove(number) }
  }

  private func note(_ key: String, _ change: (inout Usage) -> Void) {
    visitors.withLock { visitors in
      if var visitor = visitors[key] {
        change(&visitor.usage)
        visitors[key] = visitor
      }
    }
  }

  /// Connects to a host, if the page may reach it.
  private func dial(_ host: String, _ port: Int, _ key: String) throws(Sentence) -> OpenDescriptor {
    let addresses = try ResolvedAddress.all(of: host, port: port)
    var failure = "\(host) has no address"
    for address in addresses {
      guard visitors.withLock({ $0[key]?.mayReach(address.reach, of: host) ?? false }) else {
        note(key) { if $0.refused.count < 20 { $0.refused.insert("\(host):\(port)") } }
        failure = "\(host) is an address of this machine or its network, which the page may not reach"
        continue
      }
      if let server = address.connect(for: Self.connectTime) {
        visitors.withLock { $0[key]?.noteConnection(to: address.reach, of: host) }
        return server
      }
      failure = "cannot connect: \(String(cString: strerror(errno)))"
    }
    throw Sentence(failure)
  }

  private func readHead(_ number: Int32, _ rest: inout [UInt8]) -> ProxyHead? {
    while rest.count < Self.longestHead {
      let bytes = rest
      if let head = ProxyHead(bytes, rest: &rest) { return head }
      guard let more = receive(number, for: Self.longestSilence), !more.isEmpty else { return nil }
      rest += more
    }
    return nil
  }

  /// Passes the head of a response on, and 1xx ones before it; what the client sends meanwhile belongs to its request.
  private func passHead(from server: Int32, to client: Int32, _ key: String, _ allowance: inout Int) -> Bool {
    var rest: [UInt8] = []
    while rest.count < Self.longestHead {
      let bytes = rest
      if let head = ProxyHead(bytes, rest: &rest) {
        if !send(head.closing(), to: client) { return false }
        if head.words[1].hasPrefix("1") { continue }
        note(key) { $0.bytes += rest.count }
        return rest.isEmpty || send(rest, to: client)
      }
      let ready = awaitDescriptors(
        [.input(server), .input(allowance > 0 ? client : -1)], for: Self.longestSilence)
      if ready[1] {
        guard let more = receive(client, for: .zero), !more.isEmpty,
          send(Array(more.prefix(allowance)), to: server)
        else { return false }
        allowance -= min(allowance, more.count)
      } else {
        guard let more = receive(server, for: .zero), !more.isEmpty else { return false }
        rest += more
      }
    }
    return false
  }

  /// Passes bytes both ways until both sides have ended, or one is gone; no more than `allowance` from the client.
  private func relay(_ client: Int32, _ server: Int32, _ key: String, _ allowance: Int) {
    var (allowance, isClientOpen, isServerOpen) = (allowance, true, true)
    while isServerOpen {
      let ready = awaitDescriptors(
        [.input(isClientOpen ? client : -1), .input(server)], for: Self.longestSilence)
      if !ready[0], !ready[1] { return }
      if ready[0] {
        guard let bytes = receive(client, for: .zero), bytes.count <= allowance else { return }
        if bytes.isEmpty {
          isClientOpen = false
          shutdown(server, Int32(SHUT_WR))
        } else if !send(bytes, to: server) {
          return
        }
        if allowance < .max { allowance -= bytes.count }
      }
      if ready[1] {
        guard let bytes = receive(server, for: .zero) else { return }
        note(key) { $0.bytes += bytes.count }
        if bytes.isEmpty { isServerOpen = false } else if !send(bytes, to: client) { return }
      }
    }
  }

  // MARK: - Bytes

  /// The bytes that have arrived; empty at the end, nil where nothing comes in time or the connection is broken.
  private func receive(_ number: Int32, for time: Duration) -> [UInt8]? {
    while true {
      guard awaitDescriptors([.input(number)], for: time)[0] else { return nil }
      var buffer = [UInt8](repeating: 0, count: 1 << 16)
      let count = recv(number, &buffer, buffer.count, 0)
      if count >= 0 { return Array(buffer[..<count]) }
      if errno != EINTR, errno != EAGAIN { return nil }
    }
  }

  private func send(_ text: String, to number: Int32) -> Bool { send(Array(text.utf8), to: number) }

  private func send(_ bytes: [UInt8], to number: Int32) -> Bool {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { Glibc.send(number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
      if count > 0 {
        rest = rest.dropFirst(count)
      } else if errno == EAGAIN {
        guard awaitDescriptors([.output(number)], for: Self.longestSilence)[0] else { return false }
      } else if errno != EINTR {
        return false
      }
    }
    return true
  }
}
