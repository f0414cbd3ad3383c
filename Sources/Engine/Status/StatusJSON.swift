import JSON
import Language

/// The JSON form of a status, and how it is read back; `flow status --json` prints it.
///
/// Times are timestamps in UTC. Members that do not apply are missing.
extension RunStatus {
  public var json: Value {
    .record([
      ("process", .number(process)), ("version", .string(version)), ("at", .string(timestamp(at))),
      ("pipelines", .array(pipelines.map(\.json))), ("budgets", .array(budgets.map(\.json))),
    ])
  }

  public init?(_ json: Value) {
    guard let process = json.count("process"), let version = json.text("version"), let at = json.time("at")
    else { return nil }
    self.init(
      process: process, version: version, at: at, pipelines: json.list("pipelines") { PipelineStatus($0) })
    budgets = json.list("budgets") { BudgetStatus($0) }
  }
}

extension PipelineStatus {
  public var json: Value {
    var members: [(String, Value)] = [
      ("name", .string(name)), ("path", .string(path)), ("phase", .string(phase.rawValue)),
      ("started", .string(timestamp(started))),
    ]
    members.add("ended", ended.map { .string(timestamp($0)) })
    members.add("error", error.map { .string($0) })
    members.add("world", simulation.map { .string($0) })
    members += [
      ("responsive", .bool(isResponsive)), ("sources", .array(sources.map(\.json))),
      ("nodes", .array(nodes.map(\.json))), ("problems", .array(problems.map { .string($0) })),
    ]
    return .record(members)
  }

  public init?(_ json: Value) {
    guard let name = json.text("name"), let path = json.text("path"), let started = json.time("started"),
      let phase = json.text("phase").flatMap({ Phase(rawValue: $0) })
    else { return nil }
    self.init(name: name, path: path, phase: phase, started: started)
    ended = json.time("ended")
    error = json.text("error")
    simulation = json.text("world")
    isResponsive = json.member("responsive")?.isTruthy ?? true
    sources = json.list("sources") { SourceStatus($0) }
    nodes = json.list("nodes") { NodeStatus($0) }
  }
}

extension SourceStatus {
  public var json: Value {
    var members: [(String, Value)] = [
      ("name", .string(name)), ("kind", .string(kind)), ("polled", .bool(isPolled)),
    ]
    if isPolled { members += [("polls", .number(polls)), ("failed_polls", .number(failedPolls))] }
    if !isPolled, polls > 0 {
      members.add("connected_since", connectedSince.map { .string(timestamp($0)) })
      members += [
        ("connections", .number(polls - failedPolls)), ("failed_connections", .number(failedPolls)),
      ]
    }
    members.add(
      "last_poll",
      lastPoll.map {
        .record([
          ("at", .string(timestamp($0.at))), ("rows", .number($0.rows)), ("coverage", .string($0.coverage)),
          ("stale", .bool($0.isStale)),
        ])
      })
    members.add("next_poll", nextPoll.map { .string(timestamp($0)) })
    members.add(
      "failing",
      failure.map {
        .record([
          ("since", .string(timestamp($0.since))), ("polls", .number($0.polls)),
          ("reason", .string($0.reason)),
        ])
      })
    members.add(
      "waiting",
      wait.map { .record([("reason", .string($0.reason)), ("until", .string(timestamp($0.until)))]) })
    members.add("entries", entries.map(\.json))
    members.add("last_event", lastEvent.map { .string(timestamp($0)) })
    if refused > 0 { members.append(("refused", .number(refused))) }
    members.append(("ended", .bool(hasEnded)))
    members.add("error", error.map { .string($0) })
    return .record(members)
  }

  init?(_ json: Value) {
    guard let name = json.text("name"), let kind = json.text("kind") else { return nil }
    self.init(name: name, kind: kind, isPolled: json.member("polled")?.isTruthy ?? false)
    polls = json.count("polls") ?? 0
    failedPolls = json.count("failed_polls") ?? json.count("failed_connections") ?? 0
    if let connections = json.count("connections") { polls = connections + failedPolls }
    connectedSince = json.time("connected_since")
    lastPoll = json.member("last_poll").flatMap { poll in
      guard let at = poll.time("at"), let rows = poll.count("rows"), let coverage = poll.text("coverage")
      else { return nil }
      return Poll(at: at, rows: rows, coverage: coverage, isStale: poll.member("stale")?.isTruthy ?? false)
    }
    nextPoll = json.time("next_poll")
    failure = json.member("failing").flatMap { failure in
      guard let since = failure.time("since"), let polls = failure.count("polls"),
        let reason = failure.text("reason")
      else { return nil }
      return Failure(since: since, polls: polls, reason: reason)
    }
    wait = json.member("waiting").flatMap { wait in
      guard let reason = wait.text("reason"), let until = wait.time("until") else { return nil }
      return Wait(reason: reason, until: until)
    }
    entries = json.member("entries").flatMap { Entries($0) }
    (lastEvent, refused) = (json.time("last_event"), json.count("refused") ?? 0)
    hasEnded = json.member("ended")?.isTruthy ?? false
    error = json.text("error")
  }
}

extension SourceStatus.Entries {
  fileprivate var json: Value {
    .record([
      ("total", .number(total)), ("waiting", .number(waiting)), ("stale", .number(stale)),
      (
        "failing",
        .array(
          failing.map {
            .record([
              ("entry", .string($0.id)), ("since", .string(timestamp($0.since))),
              ("reason", .string($0.reason)),
            ])
          })
      ),
    ])
  }

  fileprivate init?(_ json: Value) {
    guard let total = json.count("total") else { return nil }
    self.init(total: total)
    (waiting, stale) = (json.count("waiting") ?? 0, json.count("stale") ?? 0)
    failing = json.list("failing") { entry in
      guard let id = entry.text("entry"), let since = entry.time("since"), let reason = entry.text("reason")
      else { return nil }
      return Failing(id: id, since: since, reason: reason)
    }
  }
}

extension NodeStatus {
  public var json: Value {
    var members: [(String, Value)] = [
      ("name", .string(name)), ("kind", .string(kind)), ("role", .string(role.rawValue)),
    ]
    members.add("in", eventsIn.map { .number($0) })
    members.add("out", eventsOut.map { .number($0) })
    members += [("dropped", .number(dropped)), ("errors", .number(errors)), ("lost", .number(lost))]
    if role == .step { members += [("forgotten", .number(forgotten)), ("early", .number(early))] }
    if stale > 0 { members.append(("stale", .number(stale))) }
    if role == .sink || givenUp > 0 { members.append(("given_up", .number(givenUp))) }
    members.add("seconds", seconds.map { .number($0) })
    members.add("due", due.map { .string(timestamp($0)) })
    members.add("keys", keys.map { .number($0) })
    members.add("queue", queue.map { .number($0) })
    members.add("waiting", wait.map(\.json))
    members.add("dead_letters", deadLetters.map { .number($0) })
    return .record(members)
  }

  init?(_ json: Value) {
    guard let name = json.text("name"), let kind = json.text("kind"),
      let role = json.text("role").flatMap({ Role(rawValue: $0) })
    else { return nil }
    self.init(name: name, kind: kind, role: role)
    (eventsIn, eventsOut) = (json.count("in"), json.count("out"))
    (dropped, errors) = (json.count("dropped") ?? 0, json.count("errors") ?? 0)
    givenUp = json.count("given_up") ?? 0
    (lost, forgotten) = (json.count("lost") ?? 0, json.count("forgotten") ?? 0)
    early = json.count("early") ?? 0
    stale = json.count("stale") ?? 0
    wait = json.member("waiting").flatMap { Wait($0) }
    seconds = json.member("seconds")?.double
    due = json.time("due")
    (keys, queue, deadLetters) = (json.count("keys"), json.count("queue"), json.count("dead_letters"))
  }
}

extension NodeStatus.Wait {
  fileprivate var json: Value {
    var members: [(String, Value)] = [
      ("events", .number(events)), ("request", .string(request)), ("reason", .string(reason)),
      ("failing", .bool(isFailing)),
    ]
    members.add("since", since.map { .string(timestamp($0)) })
    members.add("until", until.map { .string(timestamp($0)) })
    return .record(members)
  }

  fileprivate init?(_ json: Value) {
    guard let events = json.count("events"), let request = json.text("request"),
      let reason = json.text("reason")
    else { return nil }
    self.init(
      events: events, request: request, reason: reason, since: json.time("since"), until: json.time("until"),
      isFailing: json.member("failing")?.isTruthy ?? false)
  }
}

extension BudgetStatus {
  public var json: Value {
    var members: [(String, Value)] = [
      ("host", .string(host)), ("limit", .number(limit)), ("period", .number(period)),
      ("remaining", .number(remaining)),
    ]
    members.add("next", next.map { .string(timestamp($0)) })
    return .record(members)
  }

  init?(_ json: Value) {
    guard let host = json.text("host"), let limit = json.count("limit"),
      let period = json.member("period")?.double, let remaining = json.count("remaining")
    else { return nil }
    self.init(host: host, limit: limit, period: period, remaining: remaining, next: json.time("next"))
  }
}

extension [(String, Value)] {
  fileprivate mutating func add(_ name: String, _ value: Value?) {
    if let value { append((name, value)) }
  }
}

extension Value {
  fileprivate func text(_ name: String) -> String? { member(name)?.string }
  fileprivate func count(_ name: String) -> Int? { member(name)?.double.flatMap { Int(exactly: $0) } }
  fileprivate func time(_ name: String) -> Double? { text(name).flatMap { parseTimestamp($0) } }

  fileprivate func list<Element>(_ name: String, _ read: (Value) -> Element?) -> [Element] {
    member(name)?.items?.compactMap(read) ?? []
  }
}
