import Expectations
import Foundation
import Testing

/// `flow run` with an output file that others remove, rename, truncate or append to while it runs, or after a kill.
@Suite(.timeLimit(.minutes(30))) struct RunTouchedOutputTests {
  private let place: Workplace

  init() throws {
    place = try Workplace(
      """
      name: p
      epoch: { events: 1000, time: 100ms }
      sources: { in: { file: { path: in.jsonl, follow: true } } }
      sinks: { log: { jsonl: log.jsonl } }
      """)
    try place.write("in.jsonl", "")
  }

  enum Touch: String, CaseIterable {
    case nothing, removed, renamed, truncated, emptied, lineAppended, halfLineAppended, madeUnreadable

    func apply(_ place: Workplace) throws {
      let path = place["log.jsonl"]
      switch self {
      case .nothing: break
      case .removed: try place.remove("log.jsonl")
      case .renamed: try place.move("log.jsonl", to: "log.old")
      case .truncated: truncate(path, 25)
      case .emptied: truncate(path, 0)
      case .lineAppended: try place.append("log.jsonl", "\"mine\"\n")
      case .halfLineAppended: try place.append("log.jsonl", "\"mine")
      case .madeUnreadable: chmod(path, 0)
      }
    }
  }

  private func feed(_ numbers: ClosedRange<Int>) throws {
    try place.append("in.jsonl", numbers.map { "\($0)\n" }.joined())
  }

  /// The lines of all files of the log, those that were set aside or renamed first.
  private var lines: [String] {
    ["log.old", "log.jsonl.aside-1", "log.jsonl.aside-2", "log.jsonl"].filter(place.has).flatMap(place.lines)
  }

  private func waitForLine(_ line: String, _ running: Running) throws {
    try running.wait(for: line) { place.lines("log.jsonl").last == line }
  }

  @Test(
    "no line that was not touched is lost, doubled or torn",
    arguments: Touch.allCases, [true, false])
  func touched(touch: Touch, isRunning: Bool) throws {
    let first = try place.start("--state", "st")
    try feed(1...50)
    try waitForLine("50", first)
    // The epoch is committed.
    usleep(400_000)
    if isRunning { try touch.apply(place) }
    try feed(51...100)
    if isRunning { try waitForLine("100", first) }
    _ = try first.end(by: SIGKILL)
    if !isRunning { try touch.apply(place) }
    let second = try place.start("--state", "st")
    try feed(101...150)
    try waitForLine("150", second)
    let outcome = try second.end(by: SIGTERM).outcome
    expect(outcome.status, equals: 0, "\(outcome.errors)")
    let numbers = lines.compactMap { Int($0) }
    // What others removed is gone; where they truncated or appended within an epoch, its lines may be in both files.
    let isAppended = touch == .lineAppended || touch == .halfLineAppended
    let isExact = touch != .truncated && touch != .emptied && !(isAppended && isRunning)
    if isExact { expect(Set(numbers).count, equals: numbers.count, "\(touch): \(lines)") }
    let first50 = touch == .nothing || touch == .renamed || touch == .lineAppended || touch == .madeUnreadable
    let safe = first50 && isRunning ? Set(1...150) : Set(101...150)
    #expect(safe.isSubset(of: numbers), "\(touch): \(lines)")
    #expect(numbers == numbers.sorted() || !isExact, "\(touch): \(lines)")
    #expect(place.text("log.jsonl").hasSuffix("150\n"))
  }

  @Test("a name that leads nowhere or to a folder is one clear error", arguments: [true, false])
  func unusable(isFolder: Bool) throws {
    if isFolder {
      try FileManager.default.createDirectory(atPath: place["log.jsonl"], withIntermediateDirectories: false)
    } else {
      symlink("/nonexistent/x", place["log.jsonl"])
    }
    let outcome = try place.run("--state", "st", "--once")
    expect(outcome.status, equals: 1)
    #expect(
      outcome.errors.contains(
        "log.jsonl: cannot open: \(isFolder ? "Is a directory" : "No such file or directory")"))
  }
}
