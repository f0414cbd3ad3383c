import Expectations
import Foundation
import JSON
import Testing

@testable import Sky

/// The shipped pipelines for a month under a sky with its faults: what they report is what happened.
///
/// `FLOW_MONTH_DAYS` is the length of the month, 5 unless given (`make months` takes 30); counts that grow with it are expected in proportion.
@Suite("A month under the sky, with its faults")
struct MonthTests {
  static let days = ProcessInfo.processInfo.environment["FLOW_MONTH_DAYS"].flatMap { Int($0) } ?? 5
  private static let month = Duration.seconds(days * 86400)
  private var days: Int { Self.days }

  /// A bad network and bad servers, but a list that is as it should be.
  private static let poor = "429,wait,5xx,down,html,blank,truncate,drip,reset,type,shift,apod,ties=0"

  /// The fields of a launch that `new-launches` watches.
  private struct Row: Hashable {
    let net: String
    let status: String
  }

  private struct Change: Hashable, CustomStringConvertible {
    let type: String
    let id: String
    let row: Row?
    var description: String { "\(type) \(id) \(row.map { "\($0.net) \($0.status)" } ?? "")" }
  }

  /// The next launches under the sky, by id.
  private func rows(_ world: LaunchWorld, at time: Double, _ count: Int) -> [String: Row] {
    let now = SkyTime(milliseconds: Int64(time * 1000))
    let next = world.upcoming(at: now).sorted { ($0.net, $0.id) < ($1.net, $1.id) }.prefix(count)
    return Dictionary(
      uniqueKeysWithValues: next.map { ($0.id, Row(net: $0.net.iso, status: "\($0.status.rawValue)")) })
  }

  /// The changes from one list of rows to the next.
  private func changes(_ old: [String: Row], _ new: [String: Row]) -> Set<Change> {
    var found: Set<Change> = []
    for (id, row) in new where old[id] != row {
      found.insert(Change(type: old[id] == nil ? "added" : "changed", id: id, row: row))
    }
    for id in old.keys where new[id] == nil { found.insert(Change(type: "removed", id: id, row: nil)) }
    return found
  }

  /// The changes that the pipeline reported, by the time of the poll.
  private func reported(_ trial: SkyTrial, _ sink: String) -> [Double: Set<Change>] {
    var found: [Double: Set<Change>] = [:]
    for event in trial.reported(sink) {
      let after = event.value.member("after")
      let row = after.flatMap { after -> Row? in
        guard let net = after.member("net")?.string, let status = after.member("status")?.string else {
          return nil
        }
        return Row(net: net, status: Self.statuses[status] ?? status)
      }
      found[event.poll, default: []].insert(
        Change(
          type: event.value.member("type")?.string ?? "", id: event.value.member("key")?.string ?? "",
          row: row))
    }
    return found
  }

  private static let statuses = [
    "Go": "1", "TBD": "2", "Success": "3", "Failure": "4", "Hold": "5", "In Flight": "6",
    "Partial Failure": "7",
    "TBC": "8", "Payload Deployed": "9",
  ]

  @Test(
    "new-launches reports each change at its poll, none that was not, and notifies of all but removals",
    arguments: [1, 2] as [UInt64])
  func newLaunches(_ seed: UInt64) throws {
    // Removals at once: that they are confirmed is tested below.
    let trial = try SkyTrial("new-launches", faults: Self.poor, seed: seed) {
      $0.replacing("removed_after: 3", with: "removed_after: 1")
    }
    try trial.run(for: Self.month)
    let polls = trial.polls.all
    #expect(polls.count > 3 * days, "\(polls.count) polls; \(trial.logged.all.prefix(5))")
    let reported = reported(trial, "log")
    var known: [String: Row]?
    var count = 0
    for poll in polls {
      let now = rows(trial.world, at: try #require(poll.asked), 1000)
      let expected = known.map { changes($0, now) } ?? []
      expect(reported[poll.at] ?? [], equals: expected)
      count += expected.count
      known = now
    }
    #expect(count > 3 * days, "a month with next to no changes")
    expect(trial.reported("log").count, equals: count)
    let notified = reported.mapValues { $0.filter { $0.type != "removed" } }.filter { !$0.value.isEmpty }
    expect(self.reported(trial, "tell"), equals: notified)
    budgetIsKept(trial)
  }

  @Test("launch-reminders reminds of each time that stood, and of no other")
  func reminders() throws {
    let trial = try SkyTrial("launch-reminders", faults: Self.poor)
    try trial.run(for: Self.month)
    let polls = trial.polls.all
    let leads: [(name: String, seconds: Double)] = [("1d", 86400), ("1h", 3600), ("10m", 600)]
    let world = trial.world
    var due: Set<String> = []
    var allowed: Set<String> = []
    for (poll, next) in zip(polls, polls.dropFirst()) {
      let asked = SkyTime(milliseconds: Int64(try #require(poll.asked) * 1000))
      let list = world.upcoming(at: asked).sorted { ($0.net, $0.id) < ($1.net, $1.id) }.prefix(40)
      for launch in list where launch.precision.rawValue <= 2 {
        for lead in leads {
          let time = Double(launch.net.milliseconds) / 1000 - lead.seconds
          let name = "\(launch.id) \(lead.name) for \(launch.net.iso)"
          // Some time may pass between a poll and its answer, and an hour of grace is given.
          if time > poll.at + 60, time < next.at { due.insert(name) }
          if time > poll.at - 3660, time < next.at + 3600 { allowed.insert(name) }
        }
      }
    }
    let reported = trial.reported("tell").compactMap { event -> String? in
      guard let id = event.value.member("key")?.string, let lead = event.value.member("lead")?.string,
        let net = event.value.member("at")?.string
      else { return nil }
      return "\(id) \(lead) for \(net)"
    }
    #expect(due.count > days, "a month with next to no launches")
    expect(due.subtracting(reported), equals: [], "what was not reminded of")
    expect(Set(reported).subtracting(allowed), equals: [], "reminders of times that did not stand")
    expect(Set(reported).count, equals: reported.count, "the same reminder twice")
    budgetIsKept(trial)
  }

  @Test("upcoming-launches shows the next launches that have not flown as they stand at each poll")
  func upcoming() throws {
    let trial = try SkyTrial("upcoming-launches", faults: Self.poor)
    try trial.run(for: Self.month)
    let shown = Dictionary(grouping: trial.reported("screen"), by: \.poll)
    let world = trial.world
    #expect(trial.polls.all.count > 3 * days)
    for poll in trial.polls.all {
      let asked = SkyTime(milliseconds: Int64(try #require(poll.asked) * 1000))
      let next = world.upcoming(at: asked).sorted { ($0.net, $0.id) < ($1.net, $1.id) }.prefix(20)
      let ahead = next.filter { launch in
        if launch.status == .inFlight || launch.status == .payloadDeployed || launch.status.isFinal {
          return false
        }
        return launch.status != .go || launch.precision.rawValue > 2
          || Double(launch.net.milliseconds) / 1000 > poll.at
      }
      expect(shown[poll.at]?.compactMap { $0.value.member("net")?.string }, equals: ahead.map(\.net.iso))
    }
    // An old answer is no poll, whatever fails.
    #expect(!trial.reported("screen").contains { $0.value.member("stale")?.double != nil })
    budgetIsKept(trial)
  }

  @Test("launch-videos reports the webcast of each launch that has one, and of no other")
  func videos() throws {
    let trial = try SkyTrial("launch-videos", faults: Self.poor)
    try trial.run(for: Self.month)
    let world = trial.world
    let reported = trial.reported("screen")
    #expect(reported.count > days / 3, "a month with next to no webcasts")
    for event in reported {
      let id = try #require(event.value.member("id")?.string)
      let launch = world.launch(id, at: SkyTime(milliseconds: Int64(event.at * 1000) + 3_600_000))
      expect(launch?.videos.isEmpty, equals: false, "\(event.value)")
    }
    let lines = reported.map(\.value.description)
    expect(Set(lines).count, equals: lines.count, "the same twice")
    budgetIsKept(trial)
  }

  @Test(
    "what asks once shows all there is, or nothing and why",
    arguments: [("spacex-launches", "screen"), ("spacex-rockets", "file"), ("apod-album", "screen")])
  func once(_ name: String, _ sink: String) throws {
    var whole = 0
    for seed in 1...4 as ClosedRange<UInt64> {
      // To find a day that fails takes the album some requests, of which none may be refused: with all faults on it has
      // mostly nothing to show, so half of its seeds have fewer.
      let faults = name == "apod-album" && seed > 2 ? "5xx,html,drip,type,apod" : Self.poor
      let trial = try SkyTrial(name, faults: faults, seed: seed)
      try trial.run(for: .seconds(4 * 3600))
      let reported = trial.reported(sink)
      budgetIsKept(trial)
      if reported.isEmpty {
        #expect(!trial.logged.all.isEmpty, "nothing was shown, and nothing logged")
        continue
      }
      whole += 1
      switch name {
      case "apod-album": #expect((26...30).contains(reported.count))
      case "spacex-rockets":
        expect(reported.count, equals: 4)
        let flown = reported.reduce(0) { $0 + ($1.value.member("launches")?.items?.count ?? 0) }
        #expect(flown == (try launches(of: trial)))
      default: #expect(reported.count == (try launches(of: trial)))
      }
    }
    #expect(whole > 0, "four seeds, and none of them had an answer")
  }

  /// How many launches SpaceX's service has at the time of the last answer, without faults.
  private func launches(of trial: SkyTrial) throws -> Int {
    let asked = SkyTime(milliseconds: Int64(try #require(trial.polls.all.last?.asked) * 1000))
    let answer = Sky(seed: trial.sky.seed).answer(SkyRequest(path: "/v4/launches"), at: asked)
    return try #require(try Value.parse(answer.body).items).count
  }

  @Test("apod-today reports each day once, in order")
  func pictures() throws {
    let trial = try SkyTrial("apod-today", faults: "429,5xx,html,truncate,reset")
    try trial.run(for: Self.month)
    let dates = trial.reported("log").compactMap { $0.value.member("date")?.string }
    // The entry of the last day is not published before the end.
    let expected = (0...days).map { (SkyDate(2025, 12, 31) + $0).description }
    expect(dates, equals: expected)
    budgetIsKept(trial)
  }

  @Test(
    "launch-calendar has the events of the launches as they stand, and cancels what has not flown and is gone"
  )
  func calendar() throws {
    let trial = try SkyTrial("launch-calendar", faults: Self.poor)
    try trial.run(for: Self.month)
    var events: [String: Value] = [:]
    for event in trial.reported("calendar") { events[event.value.member("id")?.string ?? ""] = event.value }
    let last = try #require(trial.polls.all.last?.asked)
    let world = trial.world
    let standing = world.upcoming(at: SkyTime(milliseconds: Int64(last * 1000))).filter {
      $0.precision.rawValue <= 7
    }
    #expect(standing.count > 10)
    for launch in standing {
      let event = events[launch.id]
      expect(event?.member("net")?.string, equals: launch.net.iso, "\(launch.name)")
      expect(event?.member("gone"), equals: .bool(false), "\(launch.name)")
    }
    let ids = Set(standing.map(\.id))
    for (id, event) in events where !ids.contains(id) {
      let flown = (event.member("net")?.string ?? "") <= SkyTime(milliseconds: Int64(last * 1000)).iso
      #expect(flown || event.member("gone") == .bool(true), "\(id) \(event)")
    }
    budgetIsKept(trial)
  }

  // MARK: - What a real feed does

  /// Everything that goes wrong with a real feed, at once.
  private static let real = "all,withdrawn=0.2,absent=0.3"

  /// What `new-launches` reports under a sky, compared with the sky's own list.
  private func newsCheck(
    _ seed: UInt64, upcoming: Int, isShort: Bool = false, text: (String) -> String = { $0 }
  ) throws
    -> (check: NewsCheck, trial: SkyTrial)
  {
    let trial = try SkyTrial("new-launches", faults: Self.real, seed: seed, upcoming: upcoming, text: text)
    try trial.run(for: max(Self.month, .seconds(14 * 86400)))
    let reports = trial.reported("log").map { event in
      ReportedChange(
        type: event.value.member("type")?.string ?? "", id: event.value.member("key")?.string ?? "",
        before: LaunchRow(event.value.member("before")), after: LaunchRow(event.value.member("after")),
        poll: event.poll, at: event.at)
    }
    let polls = trial.polls.all.map { (at: $0.at, asked: $0.asked ?? $0.at) }
    return (NewsCheck(trial.world, isShort: isShort, reports, polls), trial)
  }

  @Test(
    "new-launches reports the sky's own list of news: nothing false, missing or repeated",
    arguments: [1, 2] as [UInt64])
  func news(_ seed: UInt64) throws {
    let (check, trial) = try newsCheck(seed, upcoming: 130)
    #expect(
      check.problems.isEmpty, "\(check.problems.count): \(check.problems.prefix(8).joined(separator: "\n"))")
    #expect(check.counts.count == 3 && check.counts.values.reduce(0, +) > 4 * days, "\(check.counts)")
    // The first poll is a baseline, and removals send no notification.
    expect(
      trial.reported("tell").count, equals: trial.reported("log").count - check.counts["removed", default: 0])
    budgetIsKept(trial)
  }

  @Test(
    "new-launches with a short list reports nothing false: the edge of the list is no news",
    arguments: [1, 2] as [UInt64])
  func shortList(_ seed: UInt64) throws {
    let (check, trial) = try newsCheck(seed, upcoming: 80, isShort: true) { text in
      text.replacing(#/limit: [0-9]+/#, with: "limit: 20")
    }
    #expect(
      check.problems.isEmpty, "\(check.problems.count): \(check.problems.prefix(8).joined(separator: "\n"))")
    #expect(check.counts.values.reduce(0, +) > days)
    budgetIsKept(trial)
  }

  @Test("launch-reminders reminds of no launch that is gone, and of each that stands")
  func remindersOfReal() throws {
    let trial = try SkyTrial("launch-reminders", faults: Self.real + ",withdrawn=0.4")
    try trial.run(for: max(Self.month, .seconds(7 * 86400)))
    let world = trial.world
    /// The exact times of a launch within the hours before a moment; nil where it was in no list.
    func times(_ id: String, _ hours: Double, before moment: Double) -> [String?] {
      stride(from: 0, through: hours * 3600, by: 600).map { seconds in
        let launch = world.launch(id, at: SkyTime(milliseconds: Int64((moment - seconds) * 1000)))
        return launch.flatMap { $0.precision.rawValue <= 4 ? $0.net.iso : nil }
      }
    }
    var reported: Set<String> = []
    for event in trial.reported("tell") {
      let id = event.value.member("key")?.string ?? ""
      let net = event.value.member("at")?.string ?? ""
      let lead = event.value.member("lead")?.string ?? ""
      #expect(reported.insert("\(id) \(lead) for \(net)").inserted, "twice: \(event.value)")
      // Longer than a short absence, and than some polls that fail.
      #expect(times(id, 6, before: event.at).contains(net), "gone or moved: \(event.value)")
      #expect(event.at <= Double(SkyTime(iso: net)?.seconds ?? 0), "over: \(event.value)")
    }
    var due = 0
    let begin = Double(LaunchWorld.start.seconds)
    let end = try #require(trial.polls.all.last?.at)
    for launch in world.launches(at: SkyTime(milliseconds: Int64(end * 1000))) {
      // The times that it had, of which the last is mostly set when it has flown.
      let nets = world.changes(of: launch.number).compactMap { change in
        if case .net(let net, _) = change.edit { net } else { nil }
      }
      for net in Set(nets) {
        for (lead, seconds) in [("1d", 86400.0), ("1h", 3600), ("10m", 600)] {
          let moment = Double(net.seconds) - seconds
          guard moment > begin + 86400, moment < end,
            Set(times(launch.id, 6, before: moment)) == [net.iso]
          else { continue }
          due += 1
          #expect(reported.contains("\(launch.id) \(lead) for \(net.iso)"), "\(launch.name)")
        }
      }
    }
    #expect(due > days / 4)
    budgetIsKept(trial)
  }

  @Test("launch-calendar cancels no launch that is there, keeps none that is gone, and has none of 1957")
  func calendarOfReal() throws {
    let trial = try SkyTrial("launch-calendar", faults: Self.real, upcoming: 130)
    try trial.run(for: max(Self.month, .seconds(14 * 86400)))
    let polls = trial.polls.all.map { (at: $0.at, asked: $0.asked ?? $0.at) }
    let truth = try ListTruth(trial.world, #require(polls.first).asked, #require(polls.last).asked)
    var events: [String: Value] = [:]
    var problems: [String] = []
    for event in trial.reported("calendar") {
      let id = event.value.member("id")?.string ?? ""
      events[id] = event.value
      if truth.steps[id] == nil { problems.append("never listed: \(event.value)") }
      if event.value.member("gone") == .bool(true), !truth.was(id, nil, (event.poll, event.at)) {
        problems.append("cancelled though there: \(event.value)")
      }
    }
    #expect(problems.isEmpty, "\(problems.count): \(problems.prefix(5).joined(separator: "\n"))")
    // What has been as it is for a day and a half is in the calendar so.
    let last = try #require(polls.last).at
    var standing = 0
    for launch in trial.world.upcoming(at: SkyTime(milliseconds: Int64(last * 1000))) {
      guard launch.precision.rawValue <= 7, last - Double(launch.lastUpdated.seconds) > 129_600,
        let step = truth.steps[launch.id]?.last, last - step.at > 129_600
      else { continue }
      standing += 1
      expect(events[launch.id]?.member("net")?.string, equals: launch.net.iso, "\(launch.name)")
      expect(events[launch.id]?.member("gone"), equals: .bool(false), "\(launch.name)")
    }
    #expect(standing > 10)
    for (id, steps) in truth.steps {
      guard let step = steps.last, step.row == nil, last - step.at > 172_800, let event = events[id] else {
        continue
      }
      let flown = (event.member("net")?.string ?? "") <= SkyTime(milliseconds: Int64(last * 1000)).iso
      #expect(flown || event.member("gone") == .bool(true), "\(id) \(event)")
    }
    budgetIsKept(trial)
  }

  /// No more requests within an hour than the limit of the service.
  private func budgetIsKept(_ trial: SkyTrial, sourceLocation: SourceLocation = #_sourceLocation) {
    for (host, limit) in [("ll.thespacedevs.com", 15), ("api.nasa.gov", 30)] {
      let times = trial.network.asked.all.filter { $0.host == host && !$0.path.hasSuffix("/api-throttle/") }
        .map(
          \.at)
      for (index, time) in times.enumerated() {
        let within = times[index...].prefix { $0 < time + 3600 }.count
        #expect(
          within <= limit, "\(within) requests of \(host) within an hour", sourceLocation: sourceLocation)
      }
    }
  }
}
