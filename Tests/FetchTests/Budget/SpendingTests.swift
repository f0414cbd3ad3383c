import Expectations
import Foundation
import Reactive
import Store
import TestScale
import TestSupport
import Testing

@testable import Fetch

/// Budgets at work, in virtual time and between processes.
@Suite(.timeLimit(.minutes(30))) struct SpendingTests {
  let folder: Folder
  init() throws { folder = try Folder() }

  let url = "https://ll.example.org/"
  let budgets = ["ll.example.org": SiteBudget([.init(3, per: .seconds(3600))])]

  func play(
    _ budgets: [String: SiteBudget]? = nil,
    _ answer: @escaping @Sendable (TransferOrder, Int) -> Script.Outcome
  ) throws -> Play {
    Play(budgets ?? self.budgets, file: try WebFile(path: folder.file), answer)
  }

  @Test(
    "a clock that was ahead or behind holds a site no longer than its window, from one look at it to the next",
    arguments: [3600, 86400, 31_622_400] as [Double], [true, false])
  func clockSteps(step: Double, isAhead: Bool) throws {
    let file = try WebFile(path: folder.file)
    let budget = SiteBudget([.init(3, per: .seconds(3600))])
    let wrong = Play.start + (isAhead ? step : -step)
    for _ in 0..<3 { _ = try file.pay("a", budget, now: wrong) }
    try file.settle("a", budget, paid: nil, block: wrong + 1716, nil, now: wrong)
    // Looked at twice: what the first look finds must not be put off by the second.
    _ = try file.pay("a", budget, now: Play.start)
    let limit = max(3600.0, BudgetRules.longestBlock)
    if case .wait(let until, _) = try file.pay("a", budget, now: Play.start + 60) {
      #expect(until <= Play.start + limit + 60)
    }
    #expect(try file.pay("a", budget, now: Play.start + limit + 1).isPaid)
    // A block that comes after is not hidden by the one before.
    try file.settle("a", budget, paid: nil, block: Play.start + limit + 100, nil, now: Play.start + limit)
    try expect(file.site("a").blockedUntil, equals: Play.start + limit + 100)
  }

  @Test("what is left is known of the sites that the client has called, not of all that share its file")
  func called() throws {
    let other = SiteBudget([.init(9, per: .seconds(60))])
    do { _ = try WebFile(path: folder.file).pay("other.example.org", other, now: Play.start) }
    let play = try play(budgets.merging(["other.example.org": other]) { $1 }) { _, _ in .answer("1") }
    #expect(try play.client.remainingBudgets().isEmpty)
    _ = try play.fetch(try request(url))
    try expect(play.client.remainingBudgets().map(\.site), equals: ["ll.example.org"])
    _ = try play.fetch(try request("https://other.example.org/"))
    try expect(play.client.remainingBudgets().count, equals: 2)
  }

  @Test("a site is left alone for six hours at most, whatever it asks for; a refresh asks at once")
  func longBlock() throws {
    let play = try play([:]) { _, number in
      number == 1 ? .answer("", 429, [("Retry-After", "99999999999")]) : .answer("1")
    }
    _ = failure { _ = try play.fetch(try request(url)) }
    let refused = failure { _ = try play.fetch(try request(url) { $0.whenUnpaid = .fail }) }
    expect(refused?.retryAt, equals: Play.start + 0.1 + 6 * 3600)
    _ = try play.fetch(try request(url) { $0.refresh = true })
    play.start(try request(url))
    play.clock.run()
    expect(play.told, equals: ["ll.example.org asked to wait 6 h (Retry-After); --refresh retries now"])
    expect(play.times.last.map { $0 >= .seconds(6 * 3600) && $0 < .seconds(6 * 3600 + 10) }, equals: true)
  }

  @Test("what cannot be paid waits, says for how long, and goes on when it can")
  func waiting() throws {
    let play = try play { _, _ in .answer("1") }
    for _ in 0..<3 { _ = try play.fetch(try request(url)) }
    play.clock.advance(to: Instant() + .seconds(2221))
    play.start(try request(url))
    play.clock.run()
    // From when the first answer came; a millisecond more so that it is surely over.
    expect(play.told, equals: ["ll.example.org: next call in 23 min"])
    expect(play.times.count, equals: 4)
    let last = try #require(play.times.last)
    #expect(last >= .milliseconds(3_600_100) && last < .milliseconds(3_600_200))
    #expect(play.results.allSatisfy { (try? $0.get()) != nil })
  }

  @Test(
    "a wait for the budget has a limit, beyond which the fetch fails at once, without a stale response",
    arguments: [(Duration.zero, true), (.seconds(3500), true), (.seconds(3700), false)])
  func limitedWait(limit: Duration, fails: Bool) throws {
    let play = Play(budgets, file: try WebFile(path: folder.file), longestBudgetWait: limit) { _, _ in
      .answer("1")
    }
    for _ in 0..<3 { _ = try play.fetch(try request(url)) }
    play.start(try request(url))
    play.clock.run()
    expect(play.times.count, equals: (fails ? 3 : 4))
    guard fails else { return }
    #expect(play.told.isEmpty, "nothing waits")
    guard case .failure(let error)? = play.results.last else {
      Issue.record("the fourth request was not paid")
      return
    }
    expect(error.kind, equals: .budget)
    #expect("\(error)".contains("the budget of ll.example.org is spent; next call in 60 min"), "\(error)")
  }

  @Test("or fails with the time it could go on, as asked")
  func failing() throws {
    let play = try play { _, _ in .answer("1") }
    for _ in 0..<3 { _ = try play.fetch(try request(url)) }
    let failed = failure { _ = try play.fetch(try request(url) { $0.whenUnpaid = .fail }) }
    expect(failed?.kind, equals: .budget)
    expect(failed?.message, equals: "the budget of ll.example.org is spent; next call in 60 min")
    expect(failed?.retryAt, equals: Play.start + 3600.1)
    let none = try Play(["ll.example.org": SiteBudget([.init(0, per: .seconds(1))])], file: WebFile()) {
      _, _ in .answer("1")
    }
    expect(
      failure { _ = try none.fetch(try request(url)) }?.message,
      equals: "the budget of ll.example.org allows no call at all")
  }

  @Test("the last call is never spent on a second try")
  func lastCall() throws {
    let play = try play { _, _ in .answer("", 502) }
    let failed = failure { _ = try play.fetch(try request(url)) }
    // Of three calls one for the first try, one for the second; the third is left.
    expect(failed?.status, equals: 502)
    expect(play.times.count, equals: 2)
    try expect(play.client.left(of: Request(try Address(url))), equals: 1)
    expect(failure { _ = try play.fetch(try request(url)) }?.status, equals: 502)
    expect(play.times.count, equals: 3)
  }

  @Test("what never arrived costs nothing; what was free neither")
  func refunded() throws {
    let play = try play { _, number in number <= 4 ? .failed(.unreachable) : .answer("1") }
    expect(failure { _ = try play.fetch(try request(url)) }?.kind, equals: .unreachable)
    try expect(play.client.left(of: Request(try Address(url))), equals: 3)
    for _ in 0..<5 { _ = try play.fetch(try request(url) { $0.isFree = true }) }
    try expect(play.client.left(of: Request(try Address(url))), equals: 3)
  }

  @Test("a redirect within a site is part of the call; one to another site is paid there")
  func redirected() throws {
    let play = try play { order, _ in
      switch order.address.path {
      case "/a": .answer("", 301, [("Location", "/a/")])
      case "/b": .answer("", 301, [("Location", "https://ll.example.org/a/")])
      default: .answer("1")
      }
    }
    _ = try play.fetch(try request(url + "a"))
    try expect(play.client.left(of: Request(try Address(url))), equals: 2)
    _ = try play.fetch(try request("https://old.example.org/b"))
    try expect(play.client.left(of: Request(try Address(url))), equals: 1)
  }

  @Test("headers tell what others spent, and another limit where they are listened to")
  func learned() throws {
    @Sendable func report(_ limit: Int, _ remaining: Int) -> Script.Outcome {
      .answer("1", 200, [("X-RateLimit-Limit", "\(limit)"), ("X-RateLimit-Remaining", "\(remaining)")])
    }
    let deaf = try play { _, _ in report(3, 0) }
    _ = try deaf.fetch(try request(url))
    try expect(deaf.client.left(of: Request(try Address(url))), equals: 2)
    let nasa = SiteBudget(
      [.init(30, per: .seconds(3600)), .init(50, per: .seconds(86400))], learnedPeriod: .seconds(3600))
    let play = try play(["a.org": nasa]) { _, number in number == 1 ? report(30, 20) : report(10, 9) }
    let address = try Address("https://a.org/")
    _ = try play.fetch(Request(address))
    try expect(play.client.left(of: Request(address)), equals: 20)
    play.clock.advance(to: Instant() + .seconds(3601))
    _ = try play.fetch(Request(address))
    try expect(play.client.left(of: Request(address)), equals: 9)
  }

  @Test("a key has a budget of its own with a site, which knows the key by a hash only")
  func keys() throws {
    let hourly = SiteBudget([.init(3, per: .seconds(3600))], learnedPeriod: .seconds(3600))
    let play = try play(["ll.example.org": hourly]) { _, _ in .answer("1") }
    let open = Request(try Address(url))
    let keyed = try request(url) { $0.headers = [Header("Authorization", "Token abcdef", isSecret: true)] }
    let other = try request(url) { $0.headers = [Header("Authorization", "Token ghijkl", isSecret: true)] }
    try expect(play.client.ageOfLimit(of: keyed), equals: .infinity)
    try play.client.learn(BudgetReport(limit: 210, remaining: 200, period: .seconds(3600)), of: keyed)
    try expect(play.client.ageOfLimit(of: keyed), equals: 0)
    for _ in 0..<5 { _ = try play.fetch(keyed) }
    try expect(play.client.left(of: keyed), equals: 195)
    #expect(try play.client.left(of: open) == 3 && play.client.left(of: other) == 3)
    #expect(keyed.budgetKey.hasPrefix("ll.example.org#") && !keyed.budgetKey.contains("abcdef"))
    #expect(keyed.budgetKey != other.budgetKey && open.budgetKey == "ll.example.org")
  }

  @Test("an endpoint for the budget can tell the same, and when the next call can be paid")
  func heard() throws {
    let play = try play { _, _ in .answer("1") }
    let address = try Address(url)
    let report = BudgetReport(limit: 3, remaining: 0, period: .seconds(3600), nextIn: .seconds(1631))
    try play.client.learn(report, of: Request(address))
    try expect(play.client.left(of: Request(address)), equals: 0)
    _ = try play.fetch(Request(address))
    let first = try #require(play.times.first)
    #expect(first >= .seconds(1631) && first < .seconds(1632))
    try expect(play.client.left(of: Request(address)), equals: 0)
  }

  @Test(
    "where budgets cannot be kept, nothing is asked of a site that has one; others are asked all the same")
  func broken() throws {
    let play = try play { _, _ in .answer("1") }
    try Database(path: folder.file).execute("DROP TABLE spending")
    let failed = failure { _ = try play.fetch(try request(url)) }
    expect(failed?.kind, equals: .store)
    expect(failed?.message.hasPrefix("the budget of ll.example.org cannot be kept: "), equals: true)
    expect(play.times, equals: [])
    try expect(play.fetch(try request("https://b.org/")).status, equals: 200)
  }

  @Test("several clients over one file never spend more than there is, as the site counts it")
  func property() throws {
    for seed in 0..<UInt64(TestScale.count(4, atLeast: 3)) {
      var dice = SplitMix64(seed: seed)
      let path = folder.path + "/\(seed).db"
      let windows = [
        SiteBudget.Window(Int.random(in: 2...5, using: &dice), per: .seconds(60)),
        SiteBudget.Window(Int.random(in: 6...12, using: &dice), per: .seconds(600)),
      ]
      let clock = VirtualScheduler(seed: seed)
      // The site counts a call at any time between its going out and its answer.
      let seen = Locked<[Double]>([])
      let chance = Locked(SplitMix64(seed: seed + 1000))
      let plays = try (0..<3).map { number in
        Play(
          ["ll.example.org": SiteBudget(windows)], file: try WebFile(path: path), clock: clock,
          latency: .milliseconds(700 + 300 * number)
        ) { _, _ in
          let delay = chance.withLock { Double($0.below(700)) / 1000 }
          seen.withLock { $0.append((clock.now - Instant()).inSeconds + delay) }
          return chance.withLock { $0.below(4) } == 0 ? .answer("", 500) : .answer("1")
        }
      }
      var asked = 0
      while asked < 60 {
        clock.advance(by: .milliseconds(Int64(dice.below(20_000))))
        plays[dice.below(3)].start(try request(url))
        asked += 1
      }
      clock.run()
      expect(plays.reduce(0) { $0 + $1.results.count }, equals: 60)
      let times = seen.withLock { $0.sorted() }
      for window in windows {
        for (place, time) in times.enumerated() {
          let within = times[place...].prefix { $0 < time + window.period.inSeconds }.count
          #expect(within <= window.limit, "seed \(seed)")
        }
      }
    }
  }

  static let variable = "FLOW_FETCH_SPENDER"
  static let spendsHere = ProcessInfo.processInfo.environment[variable]

  /// Runs in processes of their own: this test alone, started by the other one.
  @Test("spends what it can", .enabled(if: spendsHere != nil, "only in a process of its own"))
  func spender() throws {
    let path = try #require(Self.spendsHere)
    let file = try WebFile(path: path)
    for _ in 0..<300 {
      let payment = try file.pay("a.org", SiteBudget([.init(400, per: .seconds(86400))]), now: 1_800_000_000)
      if case .paid(let number?) = payment { try file.settle(number, now: 1_800_000_001) }
    }
  }

  @Test("processes at the same time spend all there is and no more", .enabled(if: spendsHere == nil))
  func processes() throws {
    let children = try (0..<3).map { _ in
      let child = TestProcess()
      child.executableURL = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
      child.arguments = ["--testing-library", "swift-testing", "--filter", "SpendingTests/spender"]
      child.environment = ProcessInfo.processInfo.environment.merging([Self.variable: folder.file]) { $1 }
      child.standardOutput = FileHandle.nullDevice
      child.standardError = FileHandle.nullDevice
      try child.run()
      return child
    }
    for child in children {
      child.waitUntilExit()
      expect(child.terminationStatus, equals: 0)
    }
    let spent = try WebFile(path: folder.file).site("a.org").spending
    expect(spent.count, equals: 400)
    #expect(spent.allSatisfy { $0.at == 1_800_000_001 })
  }
}

extension Payment {
  fileprivate var isPaid: Bool { if case .paid = self { true } else { false } }
}
