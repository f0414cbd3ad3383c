import JSON

/// A pipeline file, read and found right: all that is needed to run it.
public struct Plan: Sendable {
  public var name: String
  public var description: String
  public var path: String
  public var sources: [SourcePlan]
  /// The streams by name, each behind those it reads; the chain under `steps` is the stream of that name.
  public var streams: [StreamPlan]
  public var sinks: [SinkPlan]
  public var tests: [TestPlan]
  /// What becomes of events that steps hold when the pipeline is stopped.
  public var onStop: Ending
  public var epochs: EpochPlan
  public var scope: ExpressionScope

  /// What is in the config file, `$config`.
  public var config: Value { scope.config }

  /// The name of the chain that stands under `steps`.
  public static let chain = "steps"

  /// Whether the polls that come out of a source or stream are whole.
  package func sendsSnapshots(_ name: String) -> Bool {
    guard let stream = streams.first(where: { $0.name == name }) else { return true }
    return stream.from.allSatisfy { sendsSnapshots($0) } && stream.steps.allSatisfy(\.spec.keepsSnapshots)
  }
}

/// How often a pipeline keeps what it remembers, and how surely.
public struct EpochPlan: Sendable {
  /// Of a source that never rests, so many events at most, and so long at most, are one epoch; nil for what suits it.
  public var events: Int?
  public var time: Duration?
  /// Whether an epoch outlives a power cut, or only the process.
  public var syncs = true

  public init() {}
}

extension Plan {
  /// Whether there is anything to be remembered between runs.
  public var hasState: Bool {
    streams.contains { $0.steps.contains(where: \.spec.isKept) } || sinks.contains(where: \.spec.isKept)
  }

  /// Whether all that it does comes of one source that can be read again from a position.
  package var isRepeatable: Bool { sources.count == 1 && sources.allSatisfy(\.isRepeatable) }
}

extension SourcePlan {
  /// Whether the same comes of it when it is read again from a position: not where a part of it may be let go.
  package var isRepeatable: Bool { spec.isRepeatable && whenFull == .wait }
}

public struct SourcePlan: Sendable {
  public let name: String
  public let spec: NodeSpec
  public let options: Options
  public let schedule: Schedule
  /// The options on one line, as ``YAMLNode/shown(masking:)`` has them.
  public let shown: String
  /// When it is polled, in a few words: `every 6h`.
  public let shownSchedule: String
  /// How many deliveries may wait, and what happens to one more.
  public let buffer: Int
  public let whenFull: WhenFull
  public let place: SourceRange

  /// What a source does when the pipeline has not kept up.
  public enum WhenFull: String, CaseIterable, Sendable {
    /// It waits.
    case wait
    case dropOldest = "drop_oldest"
    case dropNewest = "drop_newest"
  }
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
  /// What the network answers, by the address that is asked; null where there is nothing.
  public let web: [String: Value]
  public let place: SourceRange

  /// What a source answers at a time after the start.
  public struct Given: Sendable {
    public let source: String
    public let at: Duration
    public let what: What
    public let place: SourceRange

    public enum What: Sendable {
      case poll([Value])
      case events([Value])
      case error(String)
      case end
    }
  }

  /// What a sink must be given, event by event.
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
