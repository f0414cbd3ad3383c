import JSON
import Language

// The JSON form of a status, which `flow status --json` prints and reads back.
//
// Times are timestamps in UTC. Members that do not apply are missing.

extension RunStatus: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(process:version:at:pipelines:), Field("process", \.process), Field("version", \.version),
    Field(time: "at", \.at), Field("pipelines", \.pipelines, or: [])
  )
  .with("budgets", \.budgets)
}

extension PipelineStatus.Phase: JSONConvertible {}

extension PipelineStatus: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(name:path:phase:started:), Field("name", \.name), Field("path", \.path),
    Field("phase", \.phase), Field(time: "started", \.started)
  )
  .with(time: "ended", \.ended).with("error", \.error).with("world", \.simulation)
  .with("responsive", \.isResponsive).with("standstill", \.standstill).with("sources", \.sources).with(
    "nodes", \.nodes
  )
  .with(time: "muted_until", \.mutedUntil)
  .showing("problems", \.problems)
}

extension PipelineStatus.Standstill: JSONRecord {
  public static let form = RecordForm<Self>(
    { Self(node: $1, reason: $2, since: $0) }, Field(time: "since", \.since), Field("node", \.node),
    Field("reason", \.reason))
}

extension SourceStatus: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(name:kind:isPolled:), Field("name", \.name), Field("kind", \.kind),
    Field("polled", \.isPolled, or: false)
  )
  .with("polls", \.polls, where: \.isPolled).with("failed_polls", \.failedPolls, where: \.isPolled)
  .with(time: "connected_since", \.connectedSince)
  .with("connections", \.connections, where: \.hasConnected)
  .with("failed_connections", \.failedConnections, where: \.hasConnected)
  .with("last_poll", \.lastPoll).with(time: "last_good", \.lastGood)
  .with(time: "too_old", \.tooOld).with(time: "asking_since", \.asking)
  .with(time: "next_poll", \.nextPoll).with("failing", \.failure)
  .with("waiting", \.wait).with("entries", \.entries).with(time: "last_event", \.lastEvent)
  .with("refused", \.refused, unless: 0).with("ended", \.hasEnded).with("error", \.error)

  /// Whether its polls are connections.
  private var hasConnected: Bool { !isPolled && polls > 0 }

  private var connections: Int {
    get { polls - failedPolls }
    set { polls = newValue + failedPolls }
  }

  private var failedConnections: Int {
    get { failedPolls }
    set { (polls, failedPolls) = (connections + newValue, newValue) }
  }
}

extension SourceStatus.Poll: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(at:rows:coverage:isStale:), Field(time: "at", \.at), Field("rows", \.rows),
    Field("coverage", \.coverage), Field("stale", \.isStale, or: false)
  ).with("hint", \.hint)
}

extension SourceStatus.Failure: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(since:polls:reason:kind:), Field(time: "since", \.since), Field("polls", \.polls),
    Field("reason", \.reason), Field("kind", \.kind, or: .other))
}

extension SourceStatus.Wait: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(reason:until:isRetry:), Field("reason", \.reason), Field(time: "until", \.until),
    Field("retry", \.isRetry, or: false))
}

extension SourceStatus.Entries: JSONRecord {
  public static let form = RecordForm<Self>(Self.init(total:), Field("total", \.total))
    .with("waiting", \.waiting).with("stale", \.stale).with("too_old", \.tooOld, unless: 0).with(
      "failing", \.failing)
}

extension SourceStatus.Entries.Failing: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(id:since:reason:), Field("entry", \.id), Field(time: "since", \.since),
    Field("reason", \.reason))
}

extension NodeStatus.Role: JSONConvertible {}

extension NodeStatus: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(name:kind:role:), Field("name", \.name), Field("kind", \.kind), Field("role", \.role)
  )
  .with("in", \.eventsIn).with("out", \.eventsOut).with("dropped", \.dropped).with("errors", \.errors)
  .with("lost", \.lost).with("forgotten", \.forgotten, where: \.isStep)
  .with("early", \.early, where: \.isStep).with("stale", \.stale, unless: 0)
  .with("given_up", \.givenUp, where: \.mayGiveUp)
  .with("seconds", \.seconds).with(time: "due", \.due).with("keys", \.keys).with("queue", \.queue)
  .with("waiting", \.wait).with("failing", \.failing).with("dead_letters", \.deadLetters)

  private var isStep: Bool { role == .step }
  private var mayGiveUp: Bool { role == .sink || givenUp > 0 }
}

extension NodeStatus.Wait: JSONRecord {
  public static let form = RecordForm<Self>(
    { Self(events: $0, request: $1, reason: $2, since: $4, until: $5, isFailing: $3) },
    Field("events", \.events), Field("request", \.request), Field("reason", \.reason),
    Field("failing", \.isFailing, or: false), Field(time: "since", \.since), Field(time: "until", \.until))
}

extension NodeStatus.Failing: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(since:polls:reason:), Field(time: "since", \.since), Field("polls", \.polls),
    Field("reason", \.reason)
  )
  .with("failing", \.number).with("total", \.total).with("of_entries", \.isOfEntries)
  .with("entries", \.entries).with("problem", \.isLoss)
}

extension BudgetStatus: JSONRecord {
  public static let form = RecordForm<Self>(
    Self.init(host:limit:period:remaining:next:), Field("host", \.host), Field("limit", \.limit),
    Field("period", \.period), Field("remaining", \.remaining), Field(time: "next", \.next))
}

extension RecordForm {
  fileprivate func with(time name: String, _ path: any WritableKeyPath<Record, Double?> & Sendable)
    -> RecordForm
  {
    with(Field(time: name, path), path)
  }
}

extension Field {
  fileprivate convenience init(time name: String, _ path: any KeyPath<Record, Double> & Sendable)
  where Content == Double {
    self.init(
      name, reading: { $0?.string.flatMap { parseTimestamp($0) } },
      writing: { .string(timestamp($0[keyPath: path])) })
  }

  fileprivate convenience init(time name: String, _ path: any KeyPath<Record, Double?> & Sendable)
  where Content == Double? {
    self.init(
      name, reading: { .some($0?.string.flatMap { parseTimestamp($0) }) },
      writing: { $0[keyPath: path].map { .string(timestamp($0)) } })
  }
}
