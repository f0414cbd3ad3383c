import Language

/// The status of a process that runs pipelines: a snapshot, taken on request.
///
/// `flow status`, `flow top`, the metrics and the page all read it; `json` is its form for other programs.
public struct RunStatus: Sendable, Equatable {
  public var process: Int
  public var version: String
  /// In seconds since 1970, as all times here.
  public var at: Double
  public var pipelines: [PipelineStatus]
  public var budgets: [BudgetStatus] = []
  /// Where it is a machine of a cluster; not in the JSON form, which `flow cluster status` has of all machines.
  public var worker: WorkerStatus?

  public init(process: Int, version: String, at: Double, pipelines: [PipelineStatus]) {
    self.process = process
    self.version = version
    self.at = at
    self.pipelines = pipelines
  }
}

/// The status of a pipeline.
public struct PipelineStatus: Sendable, Equatable {
  public enum Phase: String, Sendable, CaseIterable {
    /// It waits for room for its state.
    case waiting
    case running
    case stopping
    /// All of its sources ended by themselves.
    case completed
    /// It was stopped: by a signal, or after the time of `--for`.
    case stopped
    /// It ended and failed, or could not start.
    case failed

    public var isOver: Bool { self == .completed || self == .stopped || self == .failed }
  }

  /// A standstill of a running pipeline: nothing passes through it.
  public struct Standstill: Sendable, Equatable {
    /// The step or sink that it stands at; nil for the state, and where that is not known.
    public var node: String?
    /// The reason of the wait; nil where something is computed, or hangs.
    public var reason: String?
    public var since: Double

    public init(node: String? = nil, reason: String? = nil, since: Double) {
      (self.node, self.reason, self.since) = (node, reason, since)
    }
  }

  public var name: String
  public var path: String
  public var phase: Phase
  public var started: Double
  public var ended: Double?
  /// The first error that concerns the pipeline as a whole, or one of its sources.
  public var error: String?
  /// Whether the lane took the snapshot.
  ///
  /// False where it is busy: keys, queues and dead letters are missing then.
  public var isResponsive = true
  /// A standstill that has lasted for a second.
  public var standstill: Standstill?
  /// The simulation by its name; nil for a real run.
  public var simulation: String?
  public var sources: [SourceStatus] = []
  /// Sources, steps and sinks, in the order of the file.
  public var nodes: [NodeStatus] = []
  /// Until when no alerts of it are sent.
  public var mutedUntil: Double?
  /// The measurements of sinks; only within the process.
  public var measured: [Metric] = []

  public init(name: String, path: String, phase: Phase, started: Double) {
    self.name = name
    self.path = path
    self.phase = phase
    self.started = started
  }
}

/// The status of a source.
public struct SourceStatus: Sendable, Equatable {
  /// The last poll that succeeded.
  public struct Poll: Sendable, Equatable {
    public var at: Double
    public var rows: Int
    /// `complete`, `truncated` or `partial`.
    public var coverage: String
    /// Whether the service failed and its last good response was used.
    public var isStale: Bool
    /// A sentence about what the poll has not seen, and how to get it.
    public var hint: String?

    public init(at: Double, rows: Int, coverage: String, isStale: Bool) {
      (self.at, self.rows, self.coverage, self.isStale) = (at, rows, coverage, isStale)
    }
  }

  /// Polls that have failed since the last one that succeeded.
  public struct Failure: Sendable, Equatable {
    public var since: Double
    public var polls: Int
    public var reason: String
    public var kind: FailureKind

    public init(since: Double, polls: Int, reason: String, kind: FailureKind = .other) {
      (self.since, self.polls, self.reason, self.kind) = (since, polls, reason, kind)
    }

    /// “3 failed polls”; a source that is not polled has tried to connect.
    func failedAttempts(_ isPolled: Bool) -> String {
      "\(polls) failed \(isPolled ? "poll" : "attempt")\(polls == 1 ? "" : "s")"
    }
  }

  /// The wait of the present poll.
  public struct Wait: Sendable, Equatable {
    public var reason: String
    public var until: Double
    /// Whether an attempt has failed, and another one follows or is under way.
    public var isRetry: Bool

    public init(reason: String, until: Double, isRetry: Bool = false) {
      (self.reason, self.until, self.isRetry) = (reason, until, isRetry)
    }
  }

  /// The entries of the list that it is polled over.
  public struct Entries: Sendable, Equatable {
    /// One that fails.
    public struct Failing: Sendable, Equatable {
      public var id: String
      public var since: Double
      public var reason: String

      public init(id: String, since: Double, reason: String) {
        (self.id, self.since, self.reason) = (id, since, reason)
      }
    }

    public var total: Int
    /// The number of entries that have not been polled yet.
    public var waiting = 0
    /// The number of entries whose service fails, so that an old response is used.
    public var stale = 0
    /// The number of entries of which what was seen last is too old.
    public var tooOld = 0
    /// The entries that fail, the longest first.
    public var failing: [Failing] = []

    public init(total: Int) { self.total = total }
  }

  /// A poll that takes so long, in seconds, is shown.
  package static let longAnswer = 10.0

  public var name: String
  public var kind: String
  public var isPolled: Bool
  /// Nil for one that is polled as a whole.
  public var entries: Entries?
  /// The connections of one that is not polled count as such.
  public var polls = 0
  public var failedPolls = 0
  public var lastPoll: Poll?
  /// When the last answer came that was no old one.
  public var lastGood: Double?
  /// The time of the last good answer or event, where that is too old.
  public var tooOld: Double?
  /// Since when the present poll has no answer.
  public var asking: Double?
  public var nextPoll: Double?
  public var failure: Failure?
  /// The wait of the present poll, or of the last one when the source was stopped.
  public var wait: Wait?
  /// When the last events of one that is not polled came.
  public var lastEvent: Double?
  /// Since when the connection is up, where it has one.
  public var connectedSince: Double?
  /// The requests that it has refused.
  public var refused = 0
  public var hasEnded = false
  /// The error that ended the source.
  public var error: String?

  public init(name: String, kind: String, isPolled: Bool) {
    self.name = name
    self.kind = kind
    self.isPolled = isPolled
  }
}

/// The counters of a node; nil where one does not apply, or is unknown.
public struct NodeStatus: Sendable, Equatable {
  public enum Role: String, Sendable, CaseIterable {
    case source, step, sink
  }

  /// A request that all waiting events of a step, or the delivery that those of a sink wait for.
  public struct Wait: Sendable, Equatable {
    public var events: Int
    public var request: String
    public var reason: String
    /// Since when it fails, in seconds since 1970.
    public var since: Double?
    /// When it is made next.
    public var until: Double?
    /// Whether the server fails; a budget that is exhausted, and one that asks to wait, are no failure.
    public var isFailing: Bool

    public init(
      events: Int, request: String, reason: String, since: Double? = nil, until: Double?, isFailing: Bool
    ) {
      (self.events, self.request, self.reason) = (events, request, reason)
      (self.since, self.until, self.isFailing) = (since, until, isFailing)
    }
  }

  /// The rows of polls that the node fails on.
  public struct Failing: Sendable, Equatable {
    public var since: Double
    /// The polls in which it has failed on them.
    public var polls: Int
    /// The first of them, and why.
    public var reason: String
    /// How many of the rows, or of the entries of a list.
    public var number = 0
    public var total = 0
    public var isOfEntries = false
    /// The entries that it fails on, the worst first.
    public var entries: [String] = []
    /// Whether no row of some list passes, or rows fail that passed before; otherwise it is no problem.
    public var isLoss = false

    public init(since: Double, polls: Int, reason: String) {
      (self.since, self.polls, self.reason) = (since, polls, reason)
    }
  }

  public var name: String
  public var kind: String
  public var role: Role
  public var eventsIn: Int?
  public var eventsOut: Int?
  public var dropped = 0
  public var errors = 0
  /// Events that failed and are nowhere, in this run: neither sent nor in a file of dead letters.
  public var lost = 0
  /// Keys that the step has forgotten for lack of room, in this run.
  public var forgotten = 0
  /// Events that the step has sent before their time for lack of room, in this run.
  public var early = 0
  /// The wait of the waiting events of the step.
  public var wait: Wait?
  /// Nil while the last poll of each list has no row that fails.
  public var failing: Failing?
  /// Events that the step used an old response for, because the server failed, in this run.
  public var stale = 0
  /// Deliveries that the sink, or events that the step has given up, in this run.
  public var givenUp = 0
  /// The time spent in the node itself.
  public var seconds: Double?
  /// When it emits by itself what it holds, as far as it knows, in seconds since 1970.
  public var due: Double?
  /// The keys that its state holds.
  public var keys: Int?
  /// The outputs of a sink that wait to be written or delivered; what a source knows of and has not read yet.
  public var queue: Int?
  /// The dead letters in the state, of this run and earlier ones.
  public var deadLetters: Int?

  public init(name: String, kind: String, role: Role) {
    self.name = name
    self.kind = kind
    self.role = role
  }
}

/// The request budget of a service that has been used.
public struct BudgetStatus: Sendable, Equatable {
  public var host: String
  public var limit: Int
  /// The length of the window, in seconds.
  public var period: Double
  public var remaining: Int
  /// When the next request is possible, where none is now.
  public var next: Double?

  public init(host: String, limit: Int, period: Double, remaining: Int, next: Double? = nil) {
    self.host = host
    self.limit = limit
    self.period = period
    self.remaining = remaining
    self.next = next
  }
}
