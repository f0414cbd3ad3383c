import Foundation
import TestSupport
import Testing

/// One of several NATS servers on the loopback that form a cluster; its files are gone with it.
final class ClusterServer {
  private let folder: String
  private let config: String
  private let port: Int
  private let healthPort: Int
  private var process: TestProcess?

  var url: String { "nats://127.0.0.1:\(port)" }

  /// Starts servers that know each other.
  static func start(_ count: Int) throws -> [ClusterServer] {
    let ports = try freePorts(3 * count)
    let routes = ports[..<count].map { "nats://127.0.0.1:\($0)" }.joined(separator: ", ")
    return try (0..<count).map { number in
      try ClusterServer(
        number, port: ports[count + number], route: ports[number], health: ports[2 * count + number], routes)
    }
  }

  private init(_ number: Int, port: Int, route: Int, health: Int, _ routes: String) throws {
    self.port = port
    healthPort = health
    folder = FileManager.default.temporaryDirectory.appending(path: "flow-nats-\(UUID().uuidString)").path
    config = """
      listen: "127.0.0.1:\(port)"
      http: "127.0.0.1:\(healthPort)"
      server_name: s\(number)
      jetstream { store_dir: "\(folder)/js", sync_interval: always }
      cluster { name: c, listen: "127.0.0.1:\(route)", routes: [\(routes)] }
      """
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try start()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  /// Starts it, also again, with what it has stored; it is ready a little later.
  func start() throws {
    try Data(config.utf8).write(to: URL(fileURLWithPath: "\(folder)/server.conf"))
    let process = TestProcess()
    process.executableURL = URL(
      fileURLWithPath: try #require(NATSServer.server.path, "\(NATSServer.server.missing)"))
    process.arguments = ["-c", "\(folder)/server.conf", "-l", "\(folder)/server.log"]
    try process.run()
    self.process = process
  }

  /// Waits until it has what the others have, so that one of them may die: a stream needs two of three.
  func waitUntilCurrent() throws {
    for _ in 0..<300 {
      if health().contains(" 200 ") { return }
      usleep(100_000)
    }
    Issue.record("the server is not current after 30 s: \(health())")
  }

  /// The server's answer to a health check; empty while there is none.
  private func health() -> String {
    let connection = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(connection) }
    var patience = timeval(tv_sec: 2, tv_usec: 0)
    setsockopt(connection, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = UInt16(healthPort).bigEndian
    let size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isConnected = withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(connection, $0, size) } == 0
    }
    let request = "GET /healthz HTTP/1.0\r\n\r\n"
    guard isConnected, send(connection, request, request.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else {
      return ""
    }
    var answer = [UInt8](repeating: 0, count: 4096)
    let count = recv(connection, &answer, answer.count, 0)
    return String(decoding: answer.prefix(max(0, count)), as: UTF8.self)
  }

  private var store: String { "\(folder)/js" }

  /// Takes everything that it has stored away from it while it is killed.
  func loseDisk() throws {
    kill()
    try FileManager.default.removeItem(atPath: store)
  }

  /// A copy of what it has stored, as an old image of its disk is one; it is killed for that.
  func copyDisk() throws -> String {
    kill()
    let copy = "\(folder)/copy"
    try FileManager.default.copyItem(atPath: store, toPath: copy)
    return copy
  }

  /// Gives it a copy for what it has stored, while it is killed.
  func replaceDisk(by copy: String) throws {
    try loseDisk()
    try FileManager.default.copyItem(atPath: copy, toPath: store)
  }

  /// Kills it, as a crash would.
  func kill() {
    guard let process else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  /// Ports that are free now: servers of a cluster must know those of each other before they start.
}
