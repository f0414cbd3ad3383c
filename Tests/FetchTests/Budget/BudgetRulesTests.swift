import Expectations
import Reactive
import Store
import TestScale
import Testing

@testable import Fetch

@Suite struct BudgetRulesTests {
  let hour = SiteBudget.Window(15, per: .seconds(3600))

  func rules(_ windows: [SiteBudget.Window], spent times: [Double]) -> BudgetRules {
    var record = SiteRecord()
    record.spending = times.map { SiteRecord.Spending(at: $0) }
    return BudgetRules(SiteBudget(windows), record)
  }

  @Test("what is spent comes back one period later, to the second")
  func oneWindow() {
    let full = rules([hour], spent: (0..<15).map(Double.init))
    expect(full.time(at: 100), equals: 3600)
    expect(full.left(at: 100), equals: 0)
    expect(full.time(at: 3600), equals: 3600)
    expect(full.left(at: 3600), equals: 1)
    expect(full.time(for: 3, at: 100), equals: 3602)
    expect(full.time(for: 15, at: 100), equals: 3614)
    expectNil(full.time(for: 16, at: 100))
    expect(rules([hour], spent: []).left(at: 0), equals: 15)
  }

  @Test("repetitions have the first third of each window, and none of a window that is too small")
  func third() {
    let spent = rules([hour], spent: [0, 10, 20, 30])
    expect(spent.time(ofThird: true, at: 100), equals: 100)
    expect(spent.time(for: 2, ofThird: true, at: 100), equals: 3600)
    expectNil(spent.time(for: 6, ofThird: true, at: 100))
    expectNil(rules([.init(2, per: .seconds(60))], spent: []).time(ofThird: true, at: 0))
    expect(rules([], spent: [0, 1]).time(ofThird: true, at: 2), equals: 2)
  }

  @Test("of several windows the strictest counts, and without one nothing does")
  func severalWindows() {
    let day = SiteBudget.Window(50, per: .seconds(86400))
    let spent = (0..<50).map { Double($0) * 100 }
    expect(rules([.init(30, per: .seconds(3600)), day], spent: spent).time(at: 40_000), equals: 86400)
    expect(rules([.init(30, per: .seconds(3600))], spent: spent).time(at: 5000), equals: 5600)
    expect(rules([], spent: spent).time(for: 1000, at: 0), equals: 0)
    expectNil(rules([], spent: spent).left(at: 0))
    expectNil(rules([.init(0, per: .seconds(1))], spent: []).time(at: 0))
  }

  @Test("a site that wants to be left alone is, unless the clock was set back since")
  func blocked() {
    var asked = rules([hour], spent: [])
    asked.record.blockedUntil = 1716
    expect(asked.time(at: 0), equals: 1716)
    expect(asked.left(at: 0), equals: 0)
    expect(asked.time(at: 1716), equals: 1716)
    asked.record.blockedUntil = 1e9
    expect(asked.time(at: 0), equals: 0)
  }

  @Test("a limit that was heard of takes the place of the one for its period, for a day")
  func learned() {
    var known = rules([.init(30, per: .seconds(3600)), .init(50, per: .seconds(86400))], spent: [])
    known.record.learned = .init(10, at: 0)
    expect(known.left(at: 1), equals: 30)
    known.budget.learnedPeriod = .seconds(3600)
    expect(known.left(at: 1), equals: 10)
    expect(known.left(at: 86401), equals: 30)
  }

  @Test("the times given are the earliest at which no window is ever exceeded")
  func property() {
    var dice = SplitMix64(seed: 11)
    for _ in 0..<TestScale.count(300, atLeast: 30) {
      let windows = (0..<Int.random(in: 1...3, using: &dice)).map { _ in
        SiteBudget.Window(
          Int.random(in: 1...6, using: &dice), per: .seconds(Int.random(in: 1...60, using: &dice)))
      }
      var spent: [Int] = []
      var now = 0
      for _ in 0..<60 {
        now += Int.random(in: 0...5, using: &dice)
        let rules = rules(windows, spent: spent.map(Double.init))
        let said = rules.time(at: Double(now)).map { Int($0) }
        // Looked for second by second.
        let found = (now...(now + 600)).first { time in
          windows.allSatisfy { window in
            spent.count { Double($0) + window.period.inSeconds > Double(time) } < window.limit
          }
        }
        expect(said, equals: found)
        if said == now { spent.append(now) }
      }
    }
  }

  @Test("what others spent is the difference to what the site says")
  func foreign() {
    let rules = rules([hour], spent: [0, 1, 2])
    func missing(_ limit: Int, _ remaining: Int) -> Int {
      rules.foreignSpending(BudgetReport(limit: limit, remaining: remaining, period: .seconds(3600)), at: 10)
    }
    expect(missing(15, 12), equals: 0)
    expect(missing(15, 14), equals: 0)
    expect(missing(15, 5), equals: 7)
    expect(missing(15, -3), equals: 12)
  }

  @Test("headers are taken for a report only where both are numbers that make sense")
  func headers() {
    func report(_ limit: String, _ remaining: String) -> BudgetReport? {
      BudgetReport(
        Headers([("X-RateLimit-Limit", limit), ("X-RateLimit-Remaining", remaining)]), period: .seconds(3600))
    }
    expect(report("30", "29"), equals: BudgetReport(limit: 30, remaining: 29, period: .seconds(3600)))
    expect(report("30", "99")?.remaining, equals: 30)
    expectNil(report("0", "0"))
    expect(report("9223372036854775807", "-1")?.limit, equals: 1_000_000_000)
    expect(report("9223372036854775807", "-1")?.remaining, equals: 0)
    expectNil(report("30, 50", "1"))
    expectNil(report("30", ""))
    expectNil(BudgetReport(Headers(), period: .seconds(1)))
  }
}
