import CGlibc
import Foundation

/// A child process of a test, started by `posix_spawn`, with the members of Foundation's `Process`.
///
/// Foundation's own reads past the end of a copy when it starts a child, which ended one of six runs of all tests with
/// a segmentation fault. This one also keeps no thread and no run loop for each child.
public final class TestProcess: @unchecked Sendable {
  public enum Reason: Sendable { case exit, uncaughtSignal }

  public struct NotStarted: Error, CustomStringConvertible {
    public let description: String
  }

  public var executableURL: URL?
  public var arguments: [String]?
  public var environment: [String: String]?
  public var currentDirectoryURL: URL?
  /// Each a `Pipe` or a `FileHandle`; nil for that of the test.
  public var standardInput: Any?
  public var standardOutput: Any?
  public var standardError: Any?

  private let lock = NSLock()
  private var number: pid_t = 0
  private var status: Int32?

  public init() {}

  /// Starts the process; this side's ends of its pipes stay open.
  public func run() throws {
    guard let executableURL else { throw NotStarted(description: "there is no program to start") }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    var given: [FileHandle] = []
    for (place, stream) in [standardInput, standardOutput, standardError].enumerated() {
      let handle =
        switch stream {
        case let pipe as Pipe: place == 0 ? pipe.fileHandleForReading : pipe.fileHandleForWriting
        default: stream as? FileHandle
        }
      guard let handle else { continue }
      // The null device of Foundation has no descriptor.
      if handle.fileDescriptor < 0 {
        posix_spawn_file_actions_addopen(&actions, Int32(place), "/dev/null", O_RDWR, 0)
      } else {
        posix_spawn_file_actions_adddup2(&actions, handle.fileDescriptor, Int32(place))
      }
      if stream is Pipe { given.append(handle) }
    }
    posix_spawn_file_actions_addclosefrom_np(&actions, 3)
    if let folder = currentDirectoryURL { posix_spawn_file_actions_addchdir_np(&actions, folder.path) }
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // As a shell starts it: nothing is blocked or ignored, and it has a group of its own.
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    posix_spawnattr_setflags(
      &attributes, Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETPGROUP))
    let words = [executableURL.path] + (arguments ?? [])
    let variables = (environment ?? ProcessInfo.processInfo.environment).map { "\($0.key)=\($0.value)" }
    let argv = words.map { strdup($0) } + [nil]
    let envp = variables.map { strdup($0) } + [nil]
    defer { for text in argv + envp { free(text) } }
    let code = posix_spawn(&number, executableURL.path, &actions, &attributes, argv, envp)
    guard code == 0 else {
      throw NotStarted(description: "cannot start \(executableURL.path): \(String(cString: strerror(code)))")
    }
    // The child has them; this side would never see the end of what it writes.
    for handle in given { try? handle.close() }
  }

  public var processIdentifier: Int32 { number }

  public var isRunning: Bool { number > 0 && end(waiting: false) == nil }

  public var terminationStatus: Int32 {
    let status = end(waiting: true) ?? 0
    return status & 0x7f == 0 ? (status >> 8) & 0xff : status & 0x7f
  }

  public var terminationReason: Reason { (end(waiting: true) ?? 0) & 0x7f == 0 ? .exit : .uncaughtSignal }

  public func waitUntilExit() { _ = end(waiting: true) }

  public func terminate() { send(SIGTERM) }
  public func interrupt() { send(SIGINT) }

  /// Sends a signal, once a program that handles it has come so far.
  public func send(_ signal: Int32) {
    for _ in 0..<500 where isRunning && !isHandled(signal) { usleep(1000) }
    if isRunning { kill(number, signal) }
  }

  private func isHandled(_ signal: Int32) -> Bool {
    if [SIGKILL, SIGSTOP, SIGCONT].contains(signal) { return true }
    let status = (try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8)) ?? ""
    return status.split(separator: "\n").contains { line in
      guard ["SigBlk:", "SigCgt:", "SigIgn:"].contains(where: line.hasPrefix) else { return false }
      return (UInt64(line.dropFirst(7).trimmingCharacters(in: .whitespaces), radix: 16) ?? 0) >> (signal - 1)
        & 1 == 1
    }
  }

  /// The status it has ended with; nil while it runs.
  private func end(waiting: Bool) -> Int32? {
    if waiting, number > 0, lock.withLock({ status }) == nil {
      // Leaves it to be reaped below, so that no two threads reap it.
      var info = siginfo_t()
      while waitid(P_PID, id_t(number), &info, WEXITED | WNOWAIT) != 0, errno == EINTR {}
    }
    return lock.withLock {
      var found: Int32 = 0
      if status == nil, number > 0, waitpid(number, &found, WNOHANG) == number { status = found }
      return status
    }
  }
}
