import Foundation

/// A real NATS server on the loopback, with JetStream, for one test; its files are gone with it.
package final class NATSServer: @unchecked Sendable {
  /// The one that `make setup-cluster` installs, or any on the search path.
  package static let server = {
    let root = #filePath.split(separator: "/").dropLast(4).joined(separator: "/")
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":").map(String.init)
    return ServerProgram(
      (["/\(root)/.build/nats"] + folders).map { "\($0)/nats-server" }, version: ["--version"],
      atLeast: [2, 14], setup: "setup-cluster")
  }()

  private let folder: String
  private let options: String
  private var process: TestProcess?
  package private(set) var port = -1

  /// Starts a server with further options in its configuration.
  package init(_ options: String = "") throws {
    self.options = options
    folder = FileManager.default.temporaryDirectory.appending(path: "flow-nats-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try start()
  }

  deinit {
    kill()
    try? FileManager.default.removeItem(atPath: folder)
  }

  package var url: String { "nats://127.0.0.1:\(port)" }

  /// Starts it again on the same port, with what it has stored.
  package func start() throws {
    let config = """
      listen: "127.0.0.1:\(port)"
      ports_file_dir: "\(folder)"
      jetstream { store_dir: "\(folder)/js" }
      \(options)
      """
    try Data(config.utf8).write(to: URL(fileURLWithPath: "\(folder)/server.conf"))
    let process = TestProcess()
    guard let path = Self.server.path else { throw NotStarted(log: Self.server.missing) }
    process.executableURL = URL(fileURLWithPath: path)
    process.arguments = ["-c", "\(folder)/server.conf", "-l", "\(folder)/server.log"]
    try process.run()
    self.process = process
    let ports = "\(folder)/nats-server_\(process.processIdentifier).ports"
    let end = Date(timeIntervalSinceNow: 30)
    while Date() < end {
      // It is written in place, so it may be incomplete.
      if let text = try? String(contentsOfFile: ports, encoding: .utf8), text.contains("}"),
        let found = text.split(whereSeparator: { !$0.isNumber }).last.flatMap({ Int($0) })
      {
        port = found
        return
      }
      usleep(5000)
    }
    throw NotStarted(log: (try? String(contentsOfFile: "\(folder)/server.log", encoding: .utf8)) ?? "")
  }

  private struct NotStarted: Error { let log: String }

  /// Kills it, as a crash would.
  package func kill() {
    guard let process else { return }
    Foundation.kill(process.processIdentifier, SIGKILL)
    process.waitUntilExit()
    self.process = nil
  }

  /// Sends it a signal: with SIGSTOP it freezes, until SIGCONT.
  package func signal(_ signal: Int32) {
    if let process, process.isRunning { Foundation.kill(process.processIdentifier, signal) }
  }
}
