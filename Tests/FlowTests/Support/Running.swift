import Foundation
import TestSupport
import Testing

/// A command at work: its output is gathered in files, it can be written to and be sent signals.
///
/// It is killed when the last who holds it lets go.
final class Running {
  enum Input {
    /// A pipe that stays open.
    case open
    case file(String)
  }

  /// Longer than anything takes, even where a hundred other tests are running.
  private static let patience = 60.0

  private let process = TestProcess()
  private let place: Workplace
  private let pipe: Pipe?
  private let output, complaints: String

  init(
    _ arguments: [String], of program: String? = nil, in place: Workplace, input: Input,
    _ environment: [String: String] = [:]
  ) throws {
    self.place = place
    let name = UUID().uuidString
    (output, complaints) = ("out-\(name)", "err-\(name)")
    try place.write(output, "")
    try place.write(complaints, "")
    process.executableURL = try program.map { URL(fileURLWithPath: $0) } ?? flowCommand()
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: place.path)
    var surroundings = [
      "HOME": "/nonexistent", "PATH": "/usr/bin:/bin:/usr/sbin:/sbin", "TZ": "UTC",
      "XDG_STATE_HOME": place["state"],
    ]
    // What sanitizers are told counts for the command too.
    surroundings["ASAN_OPTIONS"] = ProcessInfo.processInfo.environment["ASAN_OPTIONS"]
    process.environment = surroundings.merging(environment) { $1 }
    switch input {
    case .open:
      let pipe = Pipe()
      self.pipe = pipe
      process.standardInput = pipe
    case .file(let path):
      pipe = nil
      process.standardInput = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    }
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: place[output]))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: place[complaints]))
    try process.run()
  }

  deinit { if process.isRunning { kill(process.processIdentifier, SIGKILL) } }

  var number: Int32 { process.processIdentifier }
  var shown: String { place.text(output) }
  /// Standard error, without the times at which messages were logged.
  var errors: String { withoutTimes(stampedErrors) }
  var stampedErrors: String { place.text(complaints) }

  func say(_ text: String) throws { try pipe?.fileHandleForWriting.write(contentsOf: Data(text.utf8)) }

  /// Ends its standard input.
  func sayNoMore() throws { try pipe?.fileHandleForWriting.close() }

  func send(_ signal: Int32) { process.send(signal) }

  /// Waits until something has come true.
  func wait(for what: String, _ isTrue: () -> Bool) throws {
    let end = Date(timeIntervalSinceNow: Self.patience)
    while !isTrue() {
      // What has ended will do no more, but may just have done it.
      let isOver = !process.isRunning
      guard !isTrue() else { return }
      guard !isOver, Date() < end else {
        throw Late(what: what, shown: String(shown.suffix(2000)), errors: errors)
      }
      Thread.sleep(forTimeInterval: 0.01)
    }
  }

  func waitForErrors(_ part: String) throws { try wait(for: "“\(part)”") { errors.contains(part) } }

  /// Waits until a file has that many lines.
  func waitForLines(_ count: Int, in name: String) throws {
    try wait(for: "\(count) lines in \(name)") { place.lines(name).count >= count }
  }

  /// Waits for its end.
  func end() throws -> Outcome {
    try wait(for: "its end") { !process.isRunning }
    let status =
      process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    return Outcome(status: status, output: shown, errors: errors)
  }

  /// Sends a signal; what came of it, and after how many seconds.
  func end(by signal: Int32) throws -> (outcome: Outcome, seconds: Double) {
    let start = Date()
    send(signal)
    let outcome = try end()
    return (outcome, Date().timeIntervalSince(start))
  }

  /// How many threads it has.
  var threads: Int {
    (try? FileManager.default.contentsOfDirectory(atPath: "/proc/\(number)/task").count) ?? 0
  }

  /// The most memory of its own that it has ever had, in KiB: without the pages of the executable.
  var mostMemory: Int? {
    let status = (try? String(contentsOfFile: "/proc/\(number)/status", encoding: .utf8)) ?? ""
    func kilobytes(_ field: String) -> Int? {
      let line = status.split(separator: "\n").first { $0.hasPrefix(field + ":") }
      return line?.split(separator: " ").dropFirst().first.flatMap { Int($0) }
    }
    guard let most = kilobytes("VmHWM"), let file = kilobytes("RssFile") else { return nil }
    return most - file
  }

  struct Late: Error, CustomStringConvertible {
    let what, shown, errors: String
    var description: String { "timed out waiting for \(what); shown: \(shown); errors: \(errors)" }
  }
}
