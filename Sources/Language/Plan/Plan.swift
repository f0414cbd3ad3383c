import JSON
import System

/// The plan of a pipeline: a file that was read without problems, with all that is needed to run it.
public struct Plan: Sendable {
  public var name: String
  public var description: String
  public var path: String
  public var sources: [SourcePlan]
  /// The streams by name, each behind those it reads; the chain under `steps` is the stream of that name.
  public var streams: [StreamPlan]
  public var sinks: [SinkPlan]
  public var tests: [TestPlan]
  /// Whether steps keep or flush the events they hold when the pipeline is stopped.
  public var onStop: Ending
  public var epochs: EpochPlan
  public var scope: ExpressionScope
  /// Whether the pipeline has a `time_zone`, so that it must be known.
  public var hasTimeZone = false

  /// The machine of a cluster that runs it, `at`; nil for any.
  public var machine: String?

  /// How many of the last events are kept with what became of them, `trace`; nil for none.
  public var trace: Int?

  /// The contents of the config file, `$config`.
  public var config: Value { scope.config }

  /// The zone of local times and of cron schedules: the pipeline's own, else the default of its reader.
  public var timeZone: String { scope.timeZone }

  /// The name of the chain that stands under `steps`.
  public static let chain = "steps"
  /// The kind of the source of a pipeline's own errors, and its name where it is not declared.
  package static let errors = "errors"

  /// Whether the polls that come out of a source or stream are whole.
  package func sendsSnapshots(_ name: String) -> Bool {
    guard let stream = streams.first(where: { $0.name == name }) else { return true }
    return stream.from.allSatisfy { sendsSnapshots($0) } && stream.steps.allSatisfy(\.spec.emitsWholePolls)
  }
}

extension Plan {
  /// The names of the steps and sinks.
  package var processors: [String] { streams.flatMap { $0.steps.map(\.name) } + sinks.map(\.name) }

  /// The steps and sinks that read each source and step.
  package var readers: [String: [String]] {
    func readers(of name: String) -> [String] {
      streams.flatMap { stream in
        let sides = stream.steps.filter { $0.reads.contains(name) }.map(\.name)
        guard stream.from.contains(name) else { return sides }
        return sides + (stream.steps.first.map { [$0.name] } ?? readers(of: stream.name))
      } + sinks.filter { $0.from.contains(name) }.map(\.name)
    }
    var found = Dictionary(uniqueKeysWithValues: sources.map { ($0.name, readers(of: $0.name)) })
    for stream in streams {
      for (step, next) in zip(stream.steps, stream.steps.dropFirst()) { found[step.name] = [next.name] }
      if let last = stream.steps.last { found[last.name] = readers(of: stream.name) }
    }
    return found
  }
}

extension Plan {
  /// The schedules of the sources that are polled, by name.
  package var schedules: [String: Schedule] {
    Dictionary(sources.filter(\.isPolled).map { ($0.name, $0.schedule) }) { first, _ in first }
  }
}

/// The epochs of a pipeline: how often it checkpoints, and how durably.
public struct EpochPlan: Sendable {
  /// The most events, and the longest time, of one epoch of a continuous source; nil for the source's default.
  public var events: Int?
  public var time: Duration?
  /// Whether a checkpoint survives a power cut, or only the process.
  public var syncs = true

  public init() {}
}

extension Plan {
  /// Whether any node keeps state between runs.
  public var hasState: Bool {
    trace != nil || sources.contains(where: \.hasDurableState)
      || streams.contains { $0.steps.contains(where: \.spec.hasDurableState) }
      || sinks.contains(where: \.spec.hasDurableState)
  }

  /// Whether its only source can be replayed from a position.
  package var isRepeatable: Bool {
    sources.count == 1 && sources.allSatisfy(\.isRepeatable) && !hasMixedPartition
  }
}

extension SourcePlan {
  /// Whether the pipeline polls it, even if a recording or a test answers instead.
  package var isPolled: Bool { spec.maker.isPolled(options) }

  /// Whether it keeps state between runs.
  package var hasDurableState: Bool { spec.hasDurableState || spec.keepsPosition(options) }

  /// Whether a replay from a position gives the same events: not where its buffer may discard some.
  package var isRepeatable: Bool { spec.isRepeatable && spec.repeats(options) && whenFull == .wait }
}

public struct SourcePlan: Sendable {
  public let name: String
  public internal(set) var spec: NodeSpec
  public let options: Options
  /// The sources whose rows are the list that it is polled over.
  public let reads: [String]
  public let schedule: Schedule
  /// The options on one line, as ``YAMLNode/shown(masking:)`` has them.
  public internal(set) var shown: String
  /// When it is polled, in a few words: `every 6h`.
  public let shownSchedule: String
  /// How many deliveries may wait, and what happens to one more.
  public let buffer: Int
  public let whenFull: OverflowPolicy
  public let place: SourceRange
  /// The name of a row in messages.
  public var key: Expression?
}

public struct StreamPlan: Sendable {
  public let name: String
  /// Sources and streams that flow into it.
  public let from: [String]
  public let steps: [StepPlan]
  public let place: SourceRange
}

public struct StepPlan: Sendable {
  /// Its own name, or its kind, behind the first of a kind with a number.
  public let name: String
  /// Whether the name is its own.
  let isNamed: Bool
  public let spec: NodeSpec
  public let options: Options
  public let onError: ErrorPolicy
  /// Streams that its options name.
  public let reads: [String]
  /// The options on one line.
  public let shown: String
  public let place: SourceRange

  func with(_ options: Options) -> StepPlan {
    StepPlan(
      name: name, isNamed: isNamed, spec: spec, options: options, onError: onError, reads: reads,
      shown: shown,
      place: place)
  }
}

public struct SinkPlan: Sendable {
  public let name: String
  public let spec: NodeSpec
  public let options: Options
  public let from: [String]
  public let when: Expression?
  public let onError: ErrorPolicy
  /// The options on one line.
  public let shown: String
  public let place: SourceRange
}

/// One of a pipeline's own tests.
public struct TestPlan: Sendable {
  public let name: String
  /// The time of day at which it begins, in seconds since 1970.
  public let start: Double
  /// The pipeline as it is with the vars that the test sets; empty where it sets none.
  package let variant: [Plan]
  public let given: [Given]
  public let expect: [Expected]
  /// The answers of the network, by the address that is asked; null where there is nothing.
  public let web: [String: Value]
  public let place: SourceRange

  /// An answer of a source at a time after the start.
  public struct Given: Sendable {
    public let source: String
    public let at: Duration
    public let answer: Answer
    /// The members that the source adds to `$meta`, as the entry of a list that was polled.
    public let notes: Value
    public let place: SourceRange

    public enum Answer: Sendable {
      case poll([Value], coverage: Coverage = .complete)
      case events([Value])
      case error(String)
      case end
    }
  }

  /// An event that a sink must receive.
  public struct Expected: Sendable {
    public let sink: String
    public let events: [Entry]
    public let place: SourceRange

    public struct Entry: Sendable {
      public let at: Duration?
      public let condition: Expression?
      public let equals: Value?
      public let place: SourceRange
    }
  }
}

/// The schedule of a source's polls.
public struct Schedule: Sendable {
  public enum Rhythm: Sendable {
    /// At the start, and never again.
    case once
    case every(Duration)
    case cron(Cron, any ZoneRules)
  }

  public var rhythm: Rhythm
  /// Whether the first poll is at once.
  public var atStart: Bool
  /// Each poll is delayed by a random time up to this.
  public var jitter: Duration
  /// The wait before a failed poll is repeated for the first time; zero for no repetition.
  public var retry = Duration.zero
  /// The meaning of a failed poll.
  public var onFailure = FailedPoll.fail
  /// The age beyond which what the source has seen is too old.
  public var fresh: PollsOrTime?

  public init(_ rhythm: Rhythm, atStart: Bool, jitter: Duration = .zero) {
    self.rhythm = rhythm
    self.atStart = atStart
    self.jitter = jitter
  }

  public static let once = Schedule(.once, atStart: true)

  /// The time of a beat after so many others, behind a time in seconds since 1970; nil where there are no beats.
  package func beat(_ count: Int, after time: Double) -> Double? {
    switch rhythm {
    case .once: return nil
    case .every(let period): return time + Double(count) * (period / .seconds(1))
    case .cron(let cron, let zone):
      guard var beat = Int(exactly: time.rounded(.down)) else { return nil }
      for _ in 0..<count {
        guard let next = cron.next(after: beat, in: zone) else { return nil }
        beat = next
      }
      return Double(beat)
    }
  }

  /// The random delay of a poll.
  package func spread(_ random: () -> Double) -> Duration { jitter == .zero ? .zero : jitter * random() }
}

/// The handling of events that steps still hold when a stream ends.
public enum Ending: Sendable {
  /// Nothing more will come: send what waits.
  case flush
  /// The pipeline will go on another time: keep what waits.
  case keep
}
