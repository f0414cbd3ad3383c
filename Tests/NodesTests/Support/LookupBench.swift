@testable import Delivery
@testable import Nodes
import Fetch
import JSON
import Reactive
import Store
import System
import TestSupport
import Trials

@testable import Engine
@testable import Language

/// A pipeline of one such step over one poll, with a network that responds on demand, in virtual time.
struct LookupBench {
  let clock = VirtualScheduler()
  private let held = Held()
  let heard = Journal<String>()
  let told = Journal<String>()
  let run: PipelineRun
  /// The paths that were asked for.
  var asked: Journal<String> { held.asked }
  private let ended = Journal<Bool>()
  private let files: TemporaryFolder

  /// What was written to the file of dead letters.
  var letters: String? { try? files.text("dead.jsonl") }
  var hasEnded: Bool { !ended.entries.isEmpty }
  var hasFailed: Bool { ended.entries == [true] }

  init(
    _ step: String, _ values: [Int], later: [Double: [Int]] = [:], ends: Bool = false,
    _ state: TemporaryState? = nil
  ) throws {
    files = try TemporaryFolder()
    let plan = try Trial.plan("sources: { input: stdin }\nsteps: [{ \(step) }]\nsinks: { heard: null }\n")
    var options = RunOptions(
      world: .real, log: Log { [told] in told.note($0.message) }, screen: silentScreen)
    options.world.wallClock = { [clock] in Double(clock.now.nanoseconds) / 1e9 }
    options.letters = { [files] _, bytes in
      try files.append("dead.jsonl", String(decoding: bytes, as: UTF8.self))
    }
    options.world[WebAccess.self] = WebAccess { [clock, held] in
      Client(
        held, file: try WebFile(), on: clock, wallClock: { Double(clock.now.nanoseconds) / 1e9 },
        .init(retry: RetryPolicy(backoff: Backoff(initial: .milliseconds(1), attempts: 1))))
    }
    if let state {
      options.state = { _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
    }
    options.source = { _ in
      let poll = ScriptedAnswer(at: 0, .poll(values.map { .number($0) }))
      let others = later.sorted { $0.key < $1.key }.map { time, values in
        ScriptedAnswer(at: time, .events(values.map { .number($0) }))
      }
      return .script(endsWithScript: ends) { _ in Answers((values.isEmpty ? [] : [poll]) + others) }
    }
    options.sink = { [heard] _, _ in Listener(heard) }
    run = try PipelineRun(plan, options, clock: clock) { [ended] hasFailed in ended.note(hasFailed) }
    run.start()
    clock.advance(by: .zero)
  }

  func status() -> PipelineStatus {
    let shown = Journal<PipelineStatus>()
    run.report { shown.note($0) }
    clock.advance(by: .zero)
    return shown.entries.last ?? run.status()
  }

  func answer(_ path: String, _ body: String, status: Int = 200, _ headers: (String, String)...) {
    held.answer(path, body, status: status, headers)
    clock.advance(by: .zero)
  }
}

private final class Held: Transport {
  typealias Completion = @Sendable (Result<TransferResponse, TransferError>) -> Void

  let asked = Journal<String>()
  private let waiting = Locked<[(path: String, completion: Completion)]>([])

  func start(_ order: TransferOrder, completion: @escaping Completion) -> Subscription {
    asked.note(order.address.path)
    waiting.withLock { $0.append((order.address.path, completion)) }
    return Subscription()
  }

  func answer(_ path: String, _ body: String, status: Int, _ headers: [(String, String)]) {
    let completion = waiting.withLock { waiting in
      waiting.firstIndex { $0.path == path }.map { waiting.remove(at: $0).completion }
    }
    completion?(.success(TransferResponse(status: status, headers: Headers(headers), body: Array(body.utf8))))
  }
}

private final class Answers: ScriptSource {
  private var rest: ArraySlice<ScriptedAnswer>
  init(_ answers: [ScriptedAnswer]) { rest = answers[...] }
  func next() -> ScriptedAnswer? { rest.popFirst() }
}

private final class Listener: Sink {
  private let heard: Journal<String>
  init(_ heard: Journal<String>) { self.heard = heard }
  func take(_ event: Event) { heard.note("\(event.value)") }
  func endPoll(_ poll: Poll) { heard.note("end") }
}
