import Foundation
import Glibc

/// A PostgreSQL server of a test's own: in a temporary folder, on a Unix socket there, gone with the test's process.
package final class PostgreSQLServer: @unchecked Sendable {
  private struct Failure: Error, CustomStringConvertible { let description: String }

  /// The folder of the newest programs; nil where there are none.
  private static let programs: String? = {
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    return versions.compactMap { Int($0) }.filter { $0 >= 12 }.max().map { "/usr/lib/postgresql/\($0)/bin" }
  }()

  package static var isWanted: Bool { isCI || programs != nil }
  package static let missing = "PostgreSQL 12 or newer is not installed: make setup-postgres"

  /// The server that most tests share, each with a database of its own.
  package static let shared = Result { try PostgreSQLServer() }

  private let folder: String
  /// A shell that ends the server when its input ends, as it does with this process.
  private var keeper: Process?
  private var input: Pipe?

  /// The port of loopback on which it speaks TLS; nil where it does not.
  package private(set) var port: Int?

  /// With a certificate, and its key, it speaks TLS on a port too.
  package init(certificate: (file: String, key: String)? = nil) throws {
    var template = Array("/tmp/flow-pg-XXXXXX".utf8CString)
    folder = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
    Self.give(folder)
    chmod(folder, 0o755)
    let login =
      "local all guarded scram-sha-256\nlocal all all trust\nhostssl all all 127.0.0.1/32 trust\n"
    _ = try run(
      "initdb", ["-D", "\(folder)/data", "-U", "postgres", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"])
    try login.write(toFile: "\(folder)/data/pg_hba.conf", atomically: false, encoding: .utf8)
    if let certificate {
      port = try freePorts(1)[0]
      for (file, name) in [(certificate.file, "server.crt"), (certificate.key, "server.key")] {
        let copy = "\(folder)/data/\(name)"
        try FileManager.default.copyItem(atPath: file, toPath: copy)
        chmod(copy, 0o600)
        Self.give(copy)
      }
    }
    try start()
  }

  deinit {
    try? signal(SIGCONT)
    try? input?.fileHandleForWriting.close()
    keeper?.waitUntilExit()
  }

  /// Makes the server's user the owner of a file or folder.
  package static func give(_ path: String) {
    guard getuid() == 0, let user = getpwnam("postgres") else { return }
    chown(path, user.pointee.pw_uid, user.pointee.pw_gid)
  }

  /// Starts the server and waits until it answers.
  package func start() throws {
    let keeper = Process()
    keeper.executableURL = URL(fileURLWithPath: "/bin/sh")
    let command = Self.asUser(
      try program("postgres"),
      [
        "-D", "\(folder)/data", "-k", folder, "-c", "fsync=off", "-c", "max_connections=60", "-c",
      ]
        + (port.map { ["listen_addresses=127.0.0.1", "-c", "ssl=on", "-p", "\($0)"] } ?? ["listen_addresses="])
    )
    keeper.arguments =
      [
        "-c",
        #""$@" >"$0/log" 2>&1 </dev/null & cat >/dev/null; kill -QUIT $! 2>/dev/null; wait; [ -e "$0/kept" ] || rm -rf "$0""#,
        folder,
      ] + command
    let input = Pipe()
    keeper.standardInput = input
    try keeper.run()
    (self.keeper, self.input) = (keeper, input)
    for _ in 0..<300 {
      if (try? sql("select 1")) != nil { return }
      usleep(50_000)
    }
    throw Failure(description: (try? String(contentsOfFile: "\(folder)/log", encoding: .utf8)) ?? "no server")
  }

  /// Kills the server at once, as `kill -9` does, so that it can be started again.
  package func kill() throws {
    _ = FileManager.default.createFile(atPath: "\(folder)/kept", contents: nil)
    try signal(SIGKILL)
    try? input?.fileHandleForWriting.close()
    keeper?.waitUntilExit()
    try? FileManager.default.removeItem(atPath: "\(folder)/kept")
  }

  /// Sends a signal to the server and its processes: with SIGSTOP it freezes, until SIGCONT.
  package func signal(_ signal: Int32) throws {
    let file = try String(contentsOfFile: "\(folder)/data/postmaster.pid", encoding: .utf8)
    guard let id = file.split(separator: "\n").first.flatMap({ pid_t($0) }), id > 1 else { return }
    // Those that a process starts before it stops are found when it has.
    let parent = signal == SIGSTOP ? [id] : []
    for process in parent + [id] + Self.children(of: id) { Glibc.kill(process, signal) }
    for process in parent.flatMap(Self.children) { Glibc.kill(process, signal) }
  }

  private static func children(of parent: pid_t) -> [pid_t] {
    let processes = (try? FileManager.default.contentsOfDirectory(atPath: "/proc")) ?? []
    return processes.compactMap { pid_t($0) }.filter { process in
      let status = try? String(contentsOfFile: "/proc/\(process)/stat", encoding: .utf8)
      // The name is in parentheses; behind it are a sign for the state and the parent.
      let rest = status?.split(separator: ")").last?.split(separator: " ") ?? []
      return rest.count > 1 && pid_t(rest[1]) == parent
    }
  }

  /// The address of a database there.
  package func address(_ database: String, login: String = "postgres") -> String {
    "postgres://\(login)@/\(database)?host=\(folder)\(port.map { "&port=\($0)" } ?? "")"
  }

  /// Makes an empty database; its name.
  package func makeDatabase() throws -> String {
    let name = "t\(UInt32.random(in: 0...UInt32.max))"
    _ = try sql("create database \(name) template template0")
    return name
  }

  /// Runs statements; the rows, with their values separated by bars.
  @discardableResult
  package func sql(_ text: String, in database: String = "postgres") throws -> String {
    try run(
      "psql",
      [
        "-h", folder, "-p", "\(port ?? 5432)", "-U", "postgres", "-d", database, "-XqAt", "-v",
        "ON_ERROR_STOP=1", "-c", text,
      ],
      isOwner: false)
  }

  private func program(_ name: String) throws -> String {
    guard let programs = Self.programs else { throw Failure(description: Self.missing) }
    return "\(programs)/\(name)"
  }

  /// The server refuses to run as root.
  private static func asUser(_ program: String, _ arguments: [String]) -> [String] {
    let user = getuid() == 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : []
    return user + [program] + arguments
  }

  private func run(_ name: String, _ arguments: [String], isOwner: Bool = true) throws -> String {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.currentDirectoryURL = URL(fileURLWithPath: "/tmp")
    let path = try program(name)
    process.arguments = isOwner ? Self.asUser(path, arguments) : [path] + arguments
    let (output, errors) = (Pipe(), Pipe())
    (process.standardOutput, process.standardError) = (output, errors)
    try process.run()
    let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    let error = String(decoding: errors.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    if process.terminationStatus != 0 { throw Failure(description: "\(name): \(error)") }
    return text.hasSuffix("\n") ? String(text.dropLast()) : text
  }
}
