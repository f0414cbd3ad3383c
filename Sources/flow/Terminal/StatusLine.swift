import Engine
import Fetch
import Language

/// The status of a run as phrases of one line, at the bottom of a terminal.
///
///     3 rows · polled 4 s ago · next in 6 s · 2 changes
///     failing for 2 min · next try in 8 s · 3 rows · answered 503 Service Unavailable
///     2 pipelines · 5 sources · 412 rows · next poll of upcoming in 6 s · 12 changes
///
/// Of phrases that do not fit, the least important go first; a reason, which may be long, comes last and is cut.
struct StatusLine {
  /// Parts of the line; a later one goes first where there is no room.
  enum Rank {
    case detail, count, time, result, problem
  }

  private(set) var parts: [(text: String, rank: Rank)] = []
  /// Why something fails, at the end of the line.
  private var reason: String?

  /// - Parameter busy: The sources whose polls the line shows already, as they are called there.
  init(_ pipelines: [PipelineStatus], at now: Double, busy: Set<String> = []) {
    let live = pipelines.filter { !$0.phase.isOver }
    for pipeline in pipelines where pipeline.phase == .failed { add("\(pipeline.name) has failed", .problem) }
    if !live.isEmpty, live.allSatisfy({ $0.phase == .stopping }) {
      add("stopping", .problem)
      return
    }
    if live.contains(where: { $0.simulation != nil }) { add(Self.date(now), .detail) }
    if live.count > 1 { add("\(live.count) pipelines", .detail) }
    for pipeline in live where pipeline.phase == .waiting {
      add("\(pipeline.name) waits for room for its state", .problem)
    }
    for pipeline in live {
      guard let standstill = pipeline.standstill else { continue }
      add(live.count > 1 ? "\(pipeline.name) stands still" : "stands still", .problem)
      reason = reason ?? standstill.text(.relative(to: now))
    }
    let areMany = pipelines.count > 1
    let sources = live.flatMap { pipeline in
      pipeline.sources.filter { !$0.hasEnded }.map { source in
        var source = source
        if areMany { source.name = "\(pipeline.name)/\(source.name)" }
        return source
      }
    }
    if sources.count > 1 { add("\(sources.count) sources", .detail) }
    addFailures(sources, at: now, busy)
    for node in live.flatMap(\.nodes) {
      guard let wait = node.wait else { continue }
      let events = "\(node.name): \(StateText.count(wait.events, "event")) wait\(wait.events == 1 ? "s" : "")"
      add(events + Self.next("next try", wait.until, at: now), .problem)
      if wait.isFailing { reason = reason ?? wait.reason }
    }
    addPolls(sources.filter(\.isPolled), at: now)
    addStreams(live, sources.filter { !$0.isPolled }, at: now)
    addResults(live.flatMap(\.nodes))
  }

  private mutating func add(_ text: String, _ rank: Rank) { parts.append((printable(text), rank)) }

  // MARK: - Sources

  /// Adds the failures and waits of sources, and when they try again.
  private mutating func addFailures(_ sources: [SourceStatus], at now: Double, _ busy: Set<String>) {
    for source in sources {
      guard let wait = source.wait, !source.hasEnded, !busy.contains(source.name) else { continue }
      add("\(source.name): \(wait.reason)" + Self.next("", wait.until, at: now), .problem)
    }
    let failing = sources.filter { $0.failure != nil && $0.entries == nil }
    guard let first = failing.first, let failure = first.failure else { return }
    let since =
      now - failure.since >= 1 ? " for \(spoken(.seconds((now - failure.since).rounded(.down))))" : ""
    if failing.count > 1 {
      add("\(failing.map(\.name).joined(separator: ", ")) are failing", .problem)
    } else {
      add((sources.count > 1 ? "\(first.name) is " : "") + "failing" + since, .problem)
    }
    if let next = failing.compactMap(\.nextPoll).min(), next > now {
      add("next try in \(spoken(.seconds(next - now)))", .problem)
    }
    reason = reason ?? Self.brief(failure.reason)
  }

  private mutating func addPolls(_ sources: [SourceStatus], at now: Double) {
    if sources.isEmpty { return }
    let polls = sources.compactMap(\.lastPoll)
    if let source = sources.first, let entries = source.entries, sources.count == 1 {
      add(entries.counts, entries.failing.isEmpty ? .count : .problem)
    } else if !polls.isEmpty {
      add(StateText.count(polls.reduce(0) { $0 + $1.rows }, "row"), .count)
    }
    if sources.count == 1, let poll = polls.first {
      if poll.isStale { add("an old response is used", .problem) }
      add(now - poll.at < 1 ? "just polled" : "polled \(Self.age(poll.at, now))", .detail)
    }
    let next = sources.filter { $0.failure == nil || $0.entries != nil }.compactMap { source in
      source.nextPoll.flatMap { $0 > now ? (at: $0, name: source.name) : nil }
    }
    guard let next = next.min(by: { $0.at < $1.at }) else { return }
    let poll = sources.count == 1 ? (polls.isEmpty ? "first poll" : "next") : "next poll of \(next.name)"
    add("\(poll) in \(spoken(.seconds(next.at - now)))", .time)
  }

  private mutating func addStreams(
    _ pipelines: [PipelineStatus], _ sources: [SourceStatus], at now: Double
  ) {
    if sources.isEmpty { return }
    let names = Set(sources.map(\.name))
    let events = pipelines.reduce(0) { sum, pipeline in
      sum
        + pipeline.nodes.reduce(0) { sum, node in
          let isOne = names.contains(node.name) || names.contains("\(pipeline.name)/\(node.name)")
          return sum + (node.role == .source && isOne ? node.eventsOut ?? 0 : 0)
        }
    }
    add(events == 0 ? "no events yet" : StateText.count(events, "event"), .count)
    if let last = sources.compactMap(\.lastEvent).max() { add("the last \(Self.age(last, now))", .detail) }
    let refused = sources.reduce(0) { $0 + $1.refused }
    if refused > 0 { add("\(refused) refused", .result) }
  }

  // MARK: - Results

  private mutating func addResults(_ nodes: [NodeStatus]) {
    func sum(_ count: (NodeStatus) -> Int) -> Int { nodes.reduce(0) { $0 + count($1) } }
    if nodes.contains(where: { $0.kind == "changes" }) {
      add(StateText.count(sum { $0.kind == "changes" ? $0.eventsOut ?? 0 : 0 }, "change"), .result)
    } else {
      add(StateText.count(sum { $0.role == .sink ? $0.eventsOut ?? 0 : 0 }, "output"), .result)
    }
    let (errors, givenUp) = (sum { $0.role == .source ? 0 : $0.errors }, sum(\.givenUp))
    if errors > 0 { add(StateText.count(errors, "error"), .problem) }
    if givenUp > 0 { add("\(givenUp) given up", .problem) }
  }

  // MARK: - The line

  /// The phrases that fit, behind those of the polls that are under way.
  func text(behind polls: [String] = [], columns: Int, _ paint: Paint) -> String {
    var shown = parts
    func width() -> Int {
      (polls + shown.map(\.text)).reduce(0) { $0 + $1.columns + Self.separator.columns }
        - Self.separator.columns
    }
    func drop(_ rank: Rank, beside room: Int) {
      while width() + room > columns, let index = shown.lastIndex(where: { $0.rank == rank }) {
        shown.remove(at: index)
      }
    }
    // A reason has a right to some of the line.
    let room = reason.map { min($0.columns, Self.roomForReason) + Self.separator.columns } ?? 0
    for rank in [Rank.detail, .count, .time] { drop(rank, beside: room) }
    drop(.result, beside: 0)
    var texts = polls.map { paint(printable($0), .plain) }
    texts += shown.map { paint($0.text, $0.rank == .problem ? .yellow : .dim) }
    if let reason, width() + Self.separator.columns < columns { texts.append(paint(printable(reason), .dim)) }
    return texts.joined(separator: paint(Self.separator, .dim))
  }

  private static let separator = " · "
  private static let roomForReason = 36

  /// An error without the request that has failed, since the line is short.
  private static func brief(_ reason: String) -> String {
    guard let colon = reason.place(of: ": "), reason[..<colon.lowerBound].place(of: "://") != nil else {
      return reason
    }
    return String(reason[colon.upperBound...])
  }

  private static func age(_ time: Double, _ now: Double) -> String {
    now - time < 1 ? "now" : "\(spoken(.seconds((now - time).rounded(.down)))) ago"
  }

  /// “, next try in 8 s”; nothing where that is not known, or now.
  private static func next(_ what: String, _ time: Double?, at now: Double) -> String {
    guard let time, time > now else { return "" }
    return (what.isEmpty ? "" : ", ") + "\(what) in \(spoken(.seconds(time - now)))"
  }

  /// The simulated time, to the minute.
  private static func date(_ time: Double) -> String {
    let text = timestamp(time.rounded(.down))
    return "\(text.prefix(10)) \(text.dropFirst(11).prefix(5))"
  }
}
