// Compares what a reader reported with the sky's own list of news.

import JSON

@testable import Sky

/// A launch as `new-launches` watches it.
struct LaunchRow: Equatable, CustomStringConvertible {
  var net: String
  var status: String

  init(net: SkyTime, status: LaunchStatus) { (self.net, self.status) = (net.iso, Self.name(status)) }

  /// Of a row in the shape of the service or of the pipeline.
  init?(_ row: Value?) {
    guard let net = row?.member("net")?.string, let status = row?.member("status"),
      let name = status.string ?? status.member("abbrev")?.string
    else { return nil }
    (self.net, self.status) = (net, name)
  }

  var description: String { "\(net) \(status)" }

  static func name(_ status: LaunchStatus) -> String {
    switch status {
    case .go: "Go"
    case .toBeDetermined: "TBD"
    case .success: "Success"
    case .failure: "Failure"
    case .hold: "Hold"
    case .inFlight: "In Flight"
    case .partialFailure: "Partial Failure"
    case .toBeConfirmed: "TBC"
    case .payloadDeployed: "Payload Deployed"
    }
  }
}

/// A change as it was reported.
struct ReportedChange {
  let type: String
  let id: String
  let before: LaunchRow?
  let after: LaunchRow?
  /// The time of the poll that showed it, and of the report, in seconds since 1970.
  let poll: Double
  let at: Double
}

/// A successful poll: when it was due and when its last answer came.
typealias PollTimes = (at: Double, asked: Double)

/// The rows of the list of upcoming launches at any time, by the sky's list of news.
struct ListTruth {
  /// Seconds for which a launch may be absent without being withdrawn; longer than the short absences of the sky, shorter
  /// than the long ones.
  static let patience = 86400.0

  /// What became of each launch and when; nil where it is not in the list.
  private(set) var steps: [String: [(at: Double, row: LaunchRow?)]] = [:]

  /// From a moment until another, in seconds since 1970.
  init(_ world: LaunchWorld, _ begin: Double, _ end: Double) {
    for launch in world.upcoming(at: Self.time(begin)) {
      steps[launch.id] = [(begin, LaunchRow(net: launch.net, status: launch.status))]
    }
    let news = world.news(after: Self.time(begin), until: Self.time(end), patience: Self.patience)
    for news in news { add(news) }
  }

  static func time(_ seconds: Double) -> SkyTime { SkyTime(milliseconds: Int64(seconds * 1000)) }

  private mutating func add(_ news: WorldNews) {
    var row = steps[news.id]?.last?.row
    switch news.kind {
    case .announced(let net, let status): row = LaunchRow(net: net, status: status)
    case .slipped(_, let net): row?.net = net.iso
    case .status(_, let status): row?.status = LaunchRow.name(status)
    case .withdrawn, .flown: row = nil
    }
    steps[news.id, default: []].append((Double(news.at.milliseconds) / 1000, row))
  }

  /// Whether a launch was in this state at some time of a poll.
  func was(_ id: String, _ row: LaunchRow?, _ poll: PollTimes) -> Bool {
    let steps = steps[id] ?? []
    return steps.last { $0.at <= poll.at }?.row == row
      || steps.contains { $0.at > poll.at && $0.at <= poll.asked && $0.row == row }
  }
}

/// What of a reader's reports is false, missing or repeated, by the sky's own list.
///
/// A report is false unless it leads from what was last reported of the launch to how the sky had it at the poll. It is
/// missing if the launch was the same for `delay` polls, for `removalDelay` polls where it is gone, and what was reported
/// last is something else.
struct NewsCheck {
  /// The seconds of `settle` in the pipeline.
  private static let settling = 120.0
  private let delay: Int
  private let removalDelay: Int
  /// Whether the reader sees only the beginning of the list, so that nothing counts as missing and the first report of a
  /// launch may lead from any state since the beginning.
  private let isShort: Bool
  private(set) var problems: [String] = []
  /// How much there was to report, by type.
  private(set) var counts: [String: Int] = [:]

  private let truth: ListTruth
  private var known: [String: LaunchRow] = [:]
  private var reported: Set<String> = []

  init(
    _ world: LaunchWorld, delay: Int = 2, removalDelay: Int = 10, isShort: Bool = false,
    _ reports: [ReportedChange], _ polls: [PollTimes]
  ) {
    (self.delay, self.removalDelay, self.isShort) = (delay, removalDelay, isShort)
    truth = ListTruth(world, polls.first?.asked ?? 0, polls.last?.asked ?? 0)
    known = truth.steps.compactMapValues { steps in
      steps.first.flatMap { $0.at == polls.first?.asked ? $0.row : nil }
    }
    var rest = reports[...]
    // The polls with an answer of their own: one that follows shortly may have the cached answer of that before.
    var asked: [PollTimes] = []
    for poll in polls {
      while let report = rest.first, report.at < poll.at { check(rest.removeFirst(), polls) }
      // What a poll shows is settled for a while; a failed poll may be repeated shortly before the next one.
      let settled = asked.prefix { $0.at + Self.settling <= poll.at }
      if !isShort, settled.count >= delay { findMissing(at: poll.at, settled) }
      if asked.last?.asked != poll.asked { asked.append(poll) }
    }
    for report in rest { check(report, polls) }
  }

  private mutating func check(_ report: ReportedChange, _ polls: [PollTimes]) {
    counts[report.type, default: 0] += 1
    let asked = polls.first { $0.at >= report.poll }?.asked ?? report.at
    let isLogical =
      switch report.type {
      case "added": report.before == nil && report.after != nil
      case "removed": report.before != nil && report.after == nil
      default: report.before != nil && report.after != nil && report.before != report.after
      }
    let isFirst = isShort && reported.insert(report.id).inserted && report.before != nil
    let fits =
      isFirst
      ? truth.steps[report.id, default: []].contains { $0.row == report.before }
      : known[report.id] == report.before
    if !isLogical || !fits {
      problems.append(
        "repeated or out of order: \(Self.text(report)); last was \(Self.text(known[report.id]))")
    } else if !truth.was(report.id, report.after, (report.poll, asked)) {
      problems.append("false: \(Self.text(report))")
    }
    known[report.id] = report.after
  }

  private mutating func findMissing(at now: Double, _ polls: ArraySlice<PollTimes>) {
    for (id, steps) in truth.steps {
      guard let last = steps.last(where: { $0.at <= now }), last.row != known[id] else { continue }
      let wanted = last.row == nil ? removalDelay : delay
      guard polls.count >= wanted, polls.dropLast(wanted - 1).last.map({ $0.at > last.at }) ?? false else {
        continue
      }
      problems.append(
        "missing: \(id) is \(Self.text(last.row)) since \(Self.text(last.at)), reported \(Self.text(known[id]))"
      )
      known[id] = last.row
    }
  }

  private static func text(_ row: LaunchRow?) -> String { row?.description ?? "not there" }
  private static func text(_ time: Double) -> String { ListTruth.time(time).iso }
  private static func text(_ report: ReportedChange) -> String {
    "\(report.type) \(report.id) at \(text(report.poll)), from \(text(report.before)) to \(text(report.after))"
  }
}
