import JSON
import Testing

@testable import Sky

/// The sky's list of news against readers that are a few lines long: a patient one reports exactly that list, a hasty one
/// does not.
@Suite struct NewsCheckTests {
  /// Reads the whole list every six hours and compares it with the last one.
  private struct Reader {
    let sky: Sky
    /// What a careful reader does: break ties, count ids, hold sudden losses, confirm removals.
    let isPatient: Bool
    private(set) var reports: [ReportedChange] = []
    private(set) var polls: [PollTimes] = []
    private var known: [String: LaunchRow] = [:]
    private var missing: [String: Int] = [:]
    private var holds = false

    init(_ sky: Sky, isPatient: Bool) { (self.sky, self.isPatient) = (sky, isPatient) }

    mutating func poll(at now: SkyTime) {
      // A poll that fails is repeated some minutes later; so is one that is not complete, if the reader counts.
      for attempt in 0..<4 {
        let asked = now + Double(attempt * 1500)
        guard let list = list(at: asked), !isPatient || list.isComplete || attempt == 3 else { continue }
        compare(list, Double(asked.milliseconds) / 1000)
        return
      }
    }

    private func list(at now: SkyTime) -> (rows: [String: LaunchRow], isComplete: Bool)? {
      var rows: [String: LaunchRow] = [:]
      // Those that are there twice, and differ: they stay as they were.
      var doubtful: Set<String> = []
      var offset = 0
      while true {
        let query = [
          ("limit", "40"), ("offset", "\(offset)"), ("mode", "list"),
          ("ordering", isPatient ? "net,id" : "net"),
        ]
        let request = SkyRequest(
          path: "/2.3.0/launches/upcoming/", query: query, headers: [("Authorization", "Token k")])
        let answer = sky.answer(request, at: now)
        guard answer.status == 200, answer.delivery == .whole || answer.delivery == .drip,
          let page = try? Value.parse(answer.body), let results = page.member("results")?.items
        else { return nil }
        for result in results {
          let (id, row) = (result.member("id")?.string ?? "", LaunchRow(result))
          if isPatient, let other = rows[id], other != row { doubtful.insert(id) }
          rows[id] = row
        }
        if page.member("next")?.string == nil {
          let isComplete = Double(rows.count) == page.member("count")?.double
          if known.isEmpty, !doubtful.isEmpty { return nil }
          for id in doubtful { rows[id] = known[id] }
          return (rows, isComplete)
        }
        offset += 40
      }
    }

    private mutating func compare(_ list: (rows: [String: LaunchRow], isComplete: Bool), _ now: Double) {
      polls.append((now, now))
      let gone = known.keys.filter { list.rows[$0] == nil }
      if polls.count == 1 { return known = list.rows }
      if isPatient, gone.count * 2 > known.count, !holds { return holds = true }
      holds = false
      for (id, row) in list.rows {
        missing[id] = nil
        if known[id] != row { report(known[id] == nil ? "added" : "changed", id, row, now) }
      }
      if isPatient, !list.isComplete { return }
      for id in gone {
        missing[id, default: 0] += 1
        if missing[id, default: 0] >= (isPatient ? 3 : 1) { report("removed", id, nil, now) }
      }
    }

    private mutating func report(_ type: String, _ id: String, _ row: LaunchRow?, _ now: Double) {
      reports.append(ReportedChange(type: type, id: id, before: known[id], after: row, poll: now, at: now))
      known[id] = row
      missing[id] = nil
    }
  }

  private func check(_ faults: String, _ seed: UInt64, isPatient: Bool) throws -> (
    check: NewsCheck, polls: Int
  ) {
    let trial = try SkyTrial.sky(faults: faults, seed: seed, upcoming: 70)
    var reader = Reader(trial.sky, isPatient: isPatient)
    for number in 0..<4 * (isPatient ? max(MonthTests.days, 14) : 14) {
      reader.poll(at: LaunchWorld.start + Double(number * 6 * 3600 + 120))
    }
    return (NewsCheck(trial.world, reader.reports, reader.polls), reader.polls.count)
  }

  @Test(
    "a patient reader reports the sky's own list: nothing false, missing or repeated",
    arguments: [1, 2] as [UInt64])
  func patient(_ seed: UInt64) throws {
    let (check, polls) = try check("all,withdrawn=0.3,absent=0.4,reset=0.02", seed, isPatient: true)
    #expect(
      check.problems.isEmpty, "\(check.problems.count): \(check.problems.prefix(5).joined(separator: "\n"))")
    #expect(polls > 50)
    #expect(check.counts.values.reduce(0, +) > polls / 2 && check.counts.count == 3, "\(check.counts)")
  }

  @Test(
    "a hasty reader reports what is not so, through each fault by itself",
    arguments: ["ties", "past=1", "empty=1", "partial=1", "absent=1", "shift=1", "twice=1"])
  func hasty(_ fault: String) throws {
    let (check, _) = try check("none,\(fault)", 1, isPatient: false)
    #expect(check.problems.count > 3, "\(check.counts)")
  }

  @Test("without faults a hasty reader is right too")
  func calm() throws {
    let (check, _) = try check("none,withdrawn=0.3", 1, isPatient: false)
    #expect(
      check.problems.isEmpty, "\(check.problems.count): \(check.problems.prefix(5).joined(separator: "\n"))")
  }

  @Test("what is left out, repeated or made up is found")
  func problems() {
    let world = LaunchWorld(seed: 1, upcoming: 60)
    let start = 1_767_225_600.0
    let polls: [PollTimes] = (0..<20).map { (start + Double($0) * 21600, start + Double($0) * 21600) }
    #expect(NewsCheck(world, [], polls).problems.contains { $0.hasPrefix("missing") })
    let row = world.upcoming(at: LaunchWorld.start)[0]
    let now = LaunchRow(net: row.net, status: row.status)
    let later = LaunchRow(net: row.net + 60, status: row.status)
    func problem(_ type: String, _ before: LaunchRow?, _ after: LaunchRow?) -> String {
      let report = ReportedChange(
        type: type, id: row.id, before: before, after: after, poll: start, at: start)
      return NewsCheck(world, [report], Array(polls.prefix(2))).problems.first ?? ""
    }
    #expect(problem("changed", now, later).hasPrefix("false"))
    #expect(problem("removed", now, nil).hasPrefix("false"))
    #expect(problem("added", nil, now).hasPrefix("repeated"))
    #expect(problem("changed", now, now).hasPrefix("repeated"))
  }
}
