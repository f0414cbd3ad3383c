import Foundation

/// A Mosquitto server of a test's own, on a port of loopback; gone with it.
package final class MQTTServer: @unchecked Sendable {
  private struct Failure: Error, CustomStringConvertible { let description: String }

  private static func program(_ name: String) -> String? {
    ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"].map { "\($0)/\(name)" }
      .first { access($0, X_OK) == 0 }
  }

  private static let mosquitto = ServerProgram(
    ["/usr/bin", "/usr/sbin", "/usr/local/bin", "/usr/local/sbin"].map { "\($0)/mosquitto" }, version: ["-h"],
    atLeast: [2, 0], setup: "setup-mqtt")

  package static var isWanted: Bool { isCI || mosquitto.path != nil && program("mosquitto_sub") != nil }
  package static let missing = mosquitto.missing

  private let folder: TemporaryFolder
  private let settings: String
  package let port: Int
  /// What its commands need to connect: a user, or TLS.
  private let login: [String]
  private var server: TestProcess?
  private var readers: [TestProcess] = []

  package var url: String { "mqtt://127.0.0.1:\(port)" }

  /// - Parameter settings: Lines of its settings, beside the port; `FOLDER` stands for one of its own.
  package init(
    _ settings: String = "allow_anonymous true", login: [String] = [], files: [String: String] = [:]
  )
    throws
  {
    folder = try TemporaryFolder()
    for (name, text) in files {
      try folder.write(name, text)
      chmod(folder[name], 0o600)
    }
    self.login = login
    port = try freePorts(1)[0]
    self.settings = settings.replacingOccurrences(of: "FOLDER", with: folder.path)
    try start()
  }

  deinit {
    for process in [server].compactMap(\.self) + readers where process.isRunning {
      kill(process.processIdentifier, SIGKILL)
      process.waitUntilExit()
    }
  }

  /// A file of users and their passwords.
  package static func users(_ users: [String: String]) throws -> String {
    let folder = try TemporaryFolder()
    try folder.write("users", users.map { "\($0.key):\($0.value)\n" }.joined())
    guard let program = program("mosquitto_passwd") else { throw Failure(description: missing) }
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["-U", folder["users"]]
    try process.run()
    process.waitUntilExit()
    return try String(contentsOfFile: folder["users"], encoding: .utf8)
  }

  /// Starts it with its settings, or others, and waits until it answers.
  package func start(_ others: String? = nil) throws {
    guard let program = Self.mosquitto.path else { throw Failure(description: Self.missing) }
    try folder.write(
      "conf",
      """
      listener \(port) 127.0.0.1
      \(getuid() == 0 ? "user root" : "")
      persistence true
      persistence_location \(folder.path)/
      max_queued_messages 0
      \(others ?? settings)

      """)
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["-c", folder["conf"]]
    try folder.write("log", "", O_APPEND)
    let file = FileHandle(forWritingAtPath: folder["log"])
    file?.seekToEndOfFile()
    (process.standardInput, process.standardOutput, process.standardError) = (
      FileHandle.nullDevice, file, file
    )
    try process.run()
    server = process
    for _ in 0..<500 {
      if try isAnswering() { return }
      if !process.isRunning { break }
      usleep(10_000)
    }
    throw Failure(description: self.log)
  }

  /// Ends it; it keeps sessions and retained messages for the next start.
  package func stop() {
    server?.terminate()
    server?.waitUntilExit()
  }

  /// Sends it a signal: with SIGSTOP it freezes, until SIGCONT.
  package func signal(_ signal: Int32) {
    if let server, server.isRunning { kill(server.processIdentifier, signal) }
  }

  /// Forgets sessions and retained messages; it must not run.
  package func forget() { try? FileManager.default.removeItem(atPath: folder["mosquitto.db"]) }

  package var log: String { (try? String(contentsOfFile: folder["log"], encoding: .utf8)) ?? "" }

  private func isAnswering() throws -> Bool {
    // An answer to the connection, not an open port alone.
    let process = try command("mosquitto_pub", ["-t", "ready", "-n", "-q", "1", "-i", "ready"])
    process.waitUntilExit()
    return process.terminationStatus == 0
  }

  private func command(_ name: String, _ arguments: [String], output: FileHandle? = nil) throws -> TestProcess
  {
    guard let program = Self.program(name) else { throw Failure(description: Self.missing) }
    let process = TestProcess()
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = ["-h", "localhost", "-p", "\(port)"] + login + arguments
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = output ?? FileHandle.nullDevice
    process.standardError = FileHandle.nullDevice
    try process.run()
    return process
  }

  /// Publishes a message.
  package func publish(_ topic: String, _ data: String, _ arguments: String...) throws {
    let process = try command(
      "mosquitto_pub", ["-q", "1", "-t", topic] + (data.isEmpty ? ["-n"] : ["-m", data]) + arguments)
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Failure(description: "mosquitto_pub has failed: \(log)") }
  }

  /// Subscribes to topics: what comes, as lines of flags (`r` for retained), topic and data, once the server has answered.
  package func subscribe(_ topic: String = "#") throws -> @Sendable () -> [String] {
    let path = folder["heard\(readers.count)"]
    try folder.write("heard\(readers.count)", "")
    let reader = try command(
      "mosquitto_sub", ["-c", "-q", "1", "-t", topic, "-F", "%r %t %p", "-i", "reader\(readers.count)"],
      output: FileHandle(forWritingAtPath: path))
    readers.append(reader)
    let ready = "ready/\(readers.count)"
    let lines: @Sendable () -> [String] = {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      return text.split(separator: "\n").map(String.init).filter { !$0.contains(" ready") }
    }
    for _ in 0..<500 {
      if topic != "#" { break }
      try publish(ready, "yes")
      if try String(contentsOfFile: path, encoding: .utf8).contains(ready) { return lines }
      usleep(10_000)
    }
    return lines
  }
}
