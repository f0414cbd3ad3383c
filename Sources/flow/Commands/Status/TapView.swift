import Engine
import Glibc
import JSON
import Language
import System

/// The output of `flow tap`: lines or marbles.
protocol TapOutput: AnyObject {
  /// How long it may wait for events before `flush`; nil for any time.
  var pause: Duration? { get }
  func take(_ message: TapClient.Message)
  /// Writes what was taken; false when no more can be written, or no more is wanted.
  func flush() -> Bool
  /// Nothing more arrives.
  func end()
  /// Whether nothing more can be written, or is wanted.
  var isDone: Bool { get }
}

extension TapOutput {
  func complain(_ message: String) { Terminal.complain("flow tap: \(printable(message))\n") }
}

/// The lines of `flow tap`: filters and prints events, and counts those that are missing or fail.
final class TapView: TapOutput {
  private let output: Output
  private let filter: Evaluator?
  private let isWhole: Bool
  private let isTerminal = Terminal.isTerminal(1)
  let pause: Duration? = nil
  private var left: Int
  private var (missed, failures) = (0, 0)
  private var firstFailure = ""
  private var reported = 0.0
  private(set) var isDone = false

  init(filter: Program?, isWhole: Bool, limit: Int) {
    output = StandardOutput.buffer
    var environment = Environment()
    environment.now = EvalEnvironment.now
    environment.timeZone = Terminal.environment("TZ") ?? "/etc/localtime"
    self.filter = filter?.evaluator(environment)
    self.isWhole = isWhole
    left = limit
  }

  func take(_ message: TapClient.Message) {
    switch message {
    case .missed(let count): missed += count
    case .event(let line):
      if line.isEndOfPoll || left == 0 { return }
      let value = isWhole ? line.whole : line.event
      guard let filter else { return put(value) }
      do { try filter.run(value, put) } catch {
        if failures == 0 { firstFailure = TailView.reason(error) }
        failures += 1
      }
    }
  }

  private func put(_ value: Value) {
    if left == 0 { return }
    left -= 1
    let json = value.json
    if isTerminal { output.put(printable(String(decoding: json, as: UTF8.self))) } else { output.put(json) }
    output.put(0x0A)
  }

  /// Writes what was printed; false when no more can be, or no more is wanted.
  func flush() -> Bool {
    output.flush()
    isDone = output.hasFailed || left == 0
    if isDone { return false }
    filter?.environment.now = EvalEnvironment.now
    reportMissed(isLast: false)
    return true
  }

  func end() { reportMissed(isLast: true) }

  /// Reports what is missing in the output: once in a second, and at the end.
  private func reportMissed(isLast: Bool) {
    let now = World.real.wallClock()
    guard isLast || abs(now - reported) >= 1 else { return }
    if missed > 0 || failures > 0 { reported = now }
    if missed > 0 {
      complain("\(StateText.count(missed, "event")) missed: more passed than is recorded, or read in time")
    }
    if failures > 0 {
      complain("the filter failed on \(StateText.count(failures, "event")), skipped: \(firstFailure)")
    }
    (missed, failures) = (0, 0)
  }
}

/// The marbles of `flow tap`: redrawn in place on a terminal, printed by the diagram elsewhere.
final class MarbleView: TapOutput {
  /// The columns of a diagram that is printed.
  private static let columns = 60
  private static let frame = 0.1

  private let nodes: [TapTarget]
  private var lanes: MarbleLanes
  private var region = LiveRegion()
  private let isTerminal = Terminal.isTerminal(1)
  private var missed = 0
  private var drawn = 0.0
  /// The first column of the present diagram, where diagrams are printed.
  private var first: Int
  private var hasMarbles = false
  let pause: Duration?
  private(set) var isDone = false

  init(_ nodes: [TapTarget], step: Double) {
    let areMany = Set(nodes.map(\.pipeline)).count > 1
    let names = nodes.map { (areMany ? "\($0.pipeline):" : "") + ($0.node ?? "") }
    let margin = (names.map(\.columns).max() ?? 0) + 2
    let room = Terminal.columns(1).map { max(10, $0 - margin) } ?? Self.columns
    self.nodes = nodes
    lanes = MarbleLanes(names, step: step, columns: room)
    first = lanes.column(at: World.real.wallClock())
    pause = .seconds(min(step, 0.25))
  }

  func take(_ message: TapClient.Message) {
    switch message {
    case .missed(let count): missed += count
    case .event(let line):
      let target = TapTarget(pipeline: line.pipeline, node: line.node)
      guard let lane = nodes.firstIndex(of: target) else { return }
      // When it arrives: a simulated run has a clock of its own.
      lanes.note(lane, at: World.real.wallClock(), isEndOfPoll: line.isEndOfPoll)
      hasMarbles = true
    }
  }

  func flush() -> Bool {
    let now = World.real.wallClock()
    let column = lanes.column(at: now)
    if isTerminal {
      guard abs(now - drawn) >= Self.frame, let size = Terminal.size(1) else { return true }
      drawn = now
      return put(region.redraw(lines(to: column), rows: size.rows, columns: size.columns))
    }
    guard column >= first + Self.columns else { return true }
    return print(to: first + Self.columns - 1)
  }

  func end() {
    if isTerminal {
      drawn = 0
      _ = flush()
    } else if hasMarbles {
      _ = print(to: lanes.column(at: World.real.wallClock()))
    }
  }

  private func print(to last: Int) -> Bool {
    defer { (first, hasMarbles) = (last + 1, false) }
    return put(lines(to: last, from: first).map { $0 + "\n" }.joined() + "\n")
  }

  private func lines(to last: Int, from first: Int? = nil) -> [String] {
    var lines = lanes.lines(to: last, from: first) { String(StateText.time($0).suffix(8)) }
    if missed > 0 { lines.append("\(StateText.count(missed, "event")) missed") }
    return lines
  }

  private func put(_ text: String) -> Bool {
    isDone = !StandardOutput.write(text)
    return !isDone
  }
}
