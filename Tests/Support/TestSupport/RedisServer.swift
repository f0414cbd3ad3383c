import Foundation

/// A Redis server of a test's own, on a port of loopback; gone with it.
package final class RedisServer: @unchecked Sendable {
  private struct Failure: Error, CustomStringConvertible { let description: String }

  private static let redis = ServerProgram(
    ["/usr/bin", "/usr/sbin", "/usr/local/bin"].map { "\($0)/redis-server" }, version: ["--version"],
    atLeast: [7, 0], setup: "setup-redis")

  package static var isWanted: Bool { redis.isWanted }
  package static let missing = redis.missing

  private let folder: TemporaryFolder
  private let settings: [String]
  package let port: Int
  private var server: TestProcess?

  package var url: String { "redis://127.0.0.1:\(port)" }

  /// - Parameter settings: Options of its command line, beside the port; `FOLDER` stands for a folder of its own.
  package init(_ settings: [String] = [], files: [String: String] = [:]) throws {
    folder = try TemporaryFolder()
    for (name, text) in files { try folder.write(name, text) }
    port = try freePorts(1)[0]
    self.settings = settings.map { [path = folder.path] in $0.replacingOccurrences(of: "FOLDER", with: path) }
    try start()
  }

  deinit {
    guard let server, server.isRunning else { return }
    kill(server.processIdentifier, SIGKILL)
    server.waitUntilExit()
  }

  /// Starts it, and waits until it answers; it writes before it answers, so that a kill loses nothing.
  package func start() throws {
    guard let program = Self.redis.path else { throw Failure(description: Self.missing) }
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments =
      [
        "--port", "\(port)", "--bind", "127.0.0.1", "--save", "", "--appendonly", "yes", "--appendfsync",
        "no", "--dir", folder.path, "--logfile", folder["log"],
      ] + settings
    (process.standardInput, process.standardOutput) = (FileHandle.nullDevice, FileHandle.nullDevice)
    process.standardError = FileHandle.nullDevice
    try process.run()
    server = process
    for _ in 0..<500 {
      let answer = (try? ask("PING")) ?? ""
      if answer.contains("PONG") || answer.contains("NOAUTH") { return }
      if !process.isRunning { break }
      usleep(10_000)
    }
    throw Failure(description: (try? folder.text("log")) ?? "no log")
  }

  /// Kills it.
  package func stop() {
    guard let server else { return }
    kill(server.processIdentifier, SIGKILL)
    server.waitUntilExit()
  }

  /// Sends it a signal: with SIGSTOP it freezes, until SIGCONT.
  package func signal(_ signal: Int32) {
    if let server, server.isRunning { kill(server.processIdentifier, signal) }
  }

  /// Forgets everything; it must not run.
  package func forget() { try? FileManager.default.removeItem(atPath: folder["appendonlydir"]) }

  /// Sends a command of words: the answer in lines, without lengths.
  @discardableResult
  package func ask(_ words: String...) throws -> String {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(socket) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = in_port_t(port).bigEndian
    address.sin_addr.s_addr = in_addr_t(0x7f00_0001).bigEndian
    let code = withUnsafePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    if code != 0 { throw Failure(description: "no connection") }
    var time = timeval(tv_sec: 10, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
    // Behind it comes one whose answer is known, so that the end of the answer is.
    let command = ([words] + [["ECHO", "the-end-of-it"]]).map { words in
      "*\(words.count)\r\n" + words.map { "$\($0.utf8.count)\r\n\($0)\r\n" }.joined()
    }.joined()
    let bytes = Array(command.utf8)
    guard send(socket, bytes, bytes.count, 0) == bytes.count else { throw Failure(description: "not sent") }
    var text: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count <= 0 { throw Failure(description: "no answer: \(String(decoding: text, as: UTF8.self))") }
      text += buffer[..<count]
      let answer = String(decoding: text, as: UTF8.self)
      // A server that wants a login refuses that one too.
      let isRefused = answer.components(separatedBy: "-NOAUTH").count > 2
      guard isRefused || answer.hasSuffix("the-end-of-it\r\n") else { continue }
      return answer.components(separatedBy: "\r\n").dropLast(isRefused ? 1 : 3)
        .filter { !$0.hasPrefix("$") && !$0.hasPrefix("*") }.joined(separator: "\n")
    }
  }
}
