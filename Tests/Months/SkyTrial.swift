import AllNodes
@testable import Delivery
import Fetch
import Foundation
import JSON
import Reactive
import Store
import Testing

import System
@testable import Engine
@testable import Language
@testable import Sky

/// A shipped pipeline under the sky in virtual time: the real sources and the real client, with the sky itself as the
/// network.
final class SkyTrial {
  struct Reported: Sendable {
    let sink: String
    /// The time of day, in seconds since 1970.
    let at: Double
    let value: Value
    let poll: Double
  }

  /// Fewer launches than the real sky has, to save time, and more than any pipeline requests at once.
  static let upcoming = 80

  let sky: Sky
  /// The same launches, for the checks.
  let world: LaunchWorld
  let heard = Noted<Reported>()
  let logged = Noted<String>()
  /// The polls of sources, each answer once.
  let polls = Noted<SkyPoll>()
  let network: SkyNetwork
  private let plan: Plan
  private let clock = VirtualScheduler()

  /// A sky with its launches.
  static func sky(faults: String, seed: UInt64, upcoming: Int) throws -> (sky: Sky, world: LaunchWorld) {
    let faults = try SkyFaults(faults)
    let world = LaunchWorld(
      seed: seed, upcoming: upcoming, withdrawn: faults.rate(.withdrawn), absent: faults.rate(.absent))
    return (Sky(seed: seed, faults: faults, upcoming: upcoming), world)
  }

  /// - Parameter text: edits the text of the pipeline
  init(
    _ name: String, faults: String, seed: UInt64 = 1, upcoming: Int = SkyTrial.upcoming,
    settings: [(name: String, text: String)] = [], text: (String) -> String = { $0 }
  ) throws {
    (sky, world) = try Self.sky(faults: faults, seed: seed, upcoming: upcoming)
    network = SkyNetwork(sky)
    let root = URL(fileURLWithPath: #filePath).appending(path: "../../..").standardizedFileURL.path
    var reader = PipelineReader(catalog: .all)
    reader.settings = settings
    reader.readFile = { [UInt8](try Data(contentsOf: URL(fileURLWithPath: $0))) }
    let path = "\(root)/pipelines/\(name).yaml"
    let yaml = String(decoding: try reader.readFile(path), as: UTF8.self)
    reader.read(path: path, Array(text(yaml).utf8))
    #expect(reader.problems.isEmpty, "\(reader.problems)")
    plan = try #require(reader.plans.first)
  }

  func run(for time: Duration) throws {
    let start = Double(LaunchWorld.start.milliseconds) / 1000
    let clock = clock
    let wallClock: @Sendable () -> Double = { start + Double(clock.now.nanoseconds) / 1e9 }
    network.keepTime(wallClock)
    var random = SystemRandom(seed: 1)
    let draws = Locked((0..<1000).map { _ in Double.random(in: 0..<1, using: &random) })
    var world = World(
      wallClock: wallClock,
      random: {
        draws.withLock {
          $0.append($0.removeFirst()); return $0.last ?? 0
        }
      },
      environment: { _ in nil })
    let network = network
    world[WebAccess.self] = WebAccess {
      Client(
        network, file: try WebFile(), on: clock, wallClock: wallClock, .init(budgets: WebAccess.budgets))
    }
    let log = Log(level: .notice) { [logged] in logged.note("\($0.node): \($0.message)") }
    let silent = Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in })
    var options = RunOptions(world: world, log: log, screen: silent)
    // A poll that reuses an answer is the observation of the poll before.
    let observed = Locked<[String: Int]>([:])
    let isNew: @Sendable (Poll) -> Bool = { poll in
      observed.withLock { numbers in
        let answer = "\(poll.source) \(poll.at)"
        let first = numbers[answer] ?? poll.number
        numbers[answer] = first
        return first == poll.number
      }
    }
    options.sink = { [heard] (sink: SinkPlan, _: SinkContext) -> (any Sink)? in
      ListeningSink { event in
        heard.note(Reported(sink: sink.name, at: wallClock(), value: event.value, poll: event.poll.at))
      }
    }
    let sources = Set(plan.sources.map(\.name))
    options.tap = { [polls] (name: String, event: Event) in
      guard sources.contains(name), event.isEndOfPoll, isNew(event.poll) else { return }
      polls.note(SkyPoll(source: name, at: event.poll.at, asked: network.lastWhole))
    }
    let run = try PipelineRun(plan, options, clock: clock) { _ in }
    run.start()
    clock.advance(by: time)
    run.stop()
    clock.run(limit: 1_000_000)
  }

  /// The events that a sink received.
  func reported(_ sink: String) -> [Reported] { heard.all.filter { $0.sink == sink } }
}

/// A poll with a fresh answer.
struct SkyPoll: Sendable {
  let source: String
  /// The times of the poll and of its answer, in seconds since 1970.
  let at: Double
  let asked: Double?
}

/// A list to which any thread may append.
final class Noted<Entry: Sendable>: Sendable {
  private let entries = Locked<[Entry]>([])
  var all: [Entry] { entries.withLock { $0 } }
  func note(_ entry: Entry) { entries.withLock { $0.append(entry) } }
}

private final class ListeningSink: Sink {
  private let note: (Event) -> Void
  init(_ note: @escaping (Event) -> Void) { self.note = note }
  func take(_ event: Event) { note(event) }
}

private struct SystemRandom: RandomNumberGenerator {
  private var random: SkyRandom
  init(seed: UInt64) { random = SkyRandom(seed, "trial") }
  mutating func next() -> UInt64 { random.next() }
}
