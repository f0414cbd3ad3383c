import Expectations
@testable import Delivery
@testable import Nodes
import Trials
import Fetch
import JSON
import Engine
import Language
import Reactive
import Testing

import System

@Suite struct LaunchLibraryTests {
  /// A page of launches by their ids.
  static func page(_ ids: [String], of count: Int, next: String? = nil) -> Canned.Reply {
    let rows = ids.map { #"{"id":"\#($0)","name":"Heron | \#($0)"}"# }.joined(separator: ",")
    let link = next.map { "\"\($0)\"" } ?? "null"
    return .init(#"{"count":\#(count),"next":\#(link),"previous":null,"results":[\#(rows)]}"#)
  }

  private func ids(_ answer: PollAnswer) -> [String] { answer.rows.compactMap { $0.member("id")?.string } }

  @Test("each version is asked where it is, with what was asked for", arguments: ["2.0.0", "2.2.0", "2.3.0"])
  func address(_ version: String) throws {
    let trial = try WebTrial(
      """
      launch_library: { version: \(version), provider: SpaceX, limit: 20, status: [1, 8], from: 2026-01-01, \
      order: -net, url: 'http://a' }
      """
    ) { _ in Self.page([], of: 0) }
    _ = try trial.poll()
    let folder = version == "2.3.0" ? "launches" : "launch"
    expect(
      trial.paths,
      equals: [
        "\(version)/\(folder)/upcoming/?limit=20&ordering=-net,id&mode=normal&lsp__name=SpaceX"
          + "&net__gte=2026-01-01T00:00:00Z&status__ids=1,8"
      ])
  }

  @Test("each page begins with the last launch of the page before, which comes once")
  func pages() throws {
    let trial = try WebTrial("launch_library: { limit: 4, url: 'http://a' }") { order in
      order.address.text.contains("offset=1")
        ? Self.page(["b", "c", "d"], of: 4) : Self.page(["a", "b"], of: 4, next: "http://a/x/?offset=2")
    }
    let answer = try trial.poll()
    #expect(ids(answer) == ["a", "b", "c", "d"] && answer.coverage == .complete)
    expect(trial.paths.last, equals: "x/?offset=1&limit=4")
  }

  @Test("pages without an offset are followed as they are linked")
  func links() throws {
    let trial = try WebTrial("launch_library: { limit: 4, url: 'http://a' }") { order in
      order.address.text.contains("cursor")
        ? Self.page(["c", "d"], of: 4) : Self.page(["a", "b"], of: 4, next: "http://a/x/?cursor=7")
    }
    let answer = try trial.poll()
    #expect(ids(answer) == ["a", "b", "c", "d"] && answer.coverage == .complete)
    let circle = try WebTrial("launch_library: { url: 'http://a' }") { _ in
      Self.page(["a", "b"], of: 4, next: "http://a/x/?cursor=7")
    }
    #expect(throws: WrongAnswer.self) { try circle.poll() }
  }

  @Test("the beginning of the list may be left out, and the poll is partial")
  func skipped() throws {
    let trial = try WebTrial("launch_library: { limit: 20, skip: 40, url: 'http://a' }") { _ in
      Self.page(["a", "b"], of: 42)
    }
    let answer = try trial.poll()
    #expect(ids(answer) == ["a", "b"] && answer.coverage == .partial)
    #expect(trial.told.entries.isEmpty)
    expect(trial.paths, equals: ["2.3.0/launches/upcoming/?limit=20&offset=40&ordering=net,id&mode=normal"])
  }

  @Test("a page that lacks launches is partial, so that nothing counts as removed")
  func lacking() throws {
    let trial = try WebTrial("launch_library: { url: 'http://a' }") { _ in Self.page(["a"], of: 9) }
    let answer = try trial.poll()
    #expect(ids(answer) == ["a"] && answer.coverage == .partial)
    expect(trial.paths.count, equals: 1, "one page cannot have shifted")
  }

  @Test("what is no list of launches fails the poll")
  func noList() throws {
    for reply in [
      Self.page([], of: 9, next: "http://a/x"), .init(#"{"detail":"oops"}"#),
      .init(#"{"count":1,"next":null,"results":[{"name":"no id"}]}"#),
    ] as [Canned.Reply] {
      let trial = try WebTrial("launch_library: { url: 'http://a' }") { _ in reply }
      #expect(throws: WrongAnswer.self) { try trial.poll() }
    }
  }

  @Test("an answer is used again while it is young")
  func cached() throws {
    let trial = try WebTrial("launch_library: { url: 'http://a' }") { _ in Self.page(["a"], of: 1) }
    for _ in 0..<3 { expect(ids(try trial.poll()), equals: ["a"]) }
    expect(trial.asked.entries.count, equals: 1)
    let answers = trial.details.entries.filter { $0.hasPrefix("http://a/") }
    #expect(answers.first?.hasSuffix(": answered") == true && answers.count == 3, "\(answers)")
    #expect(
      answers.dropFirst().allSatisfy { $0.hasSuffix("using the cached response of 0s ago") }, "\(answers)")
  }

  @Test("with detail each launch is asked for by itself")
  func detail() throws {
    let trial = try WebTrial("launch_library: { detail: true, url: 'http://a', version: 2.0.0 }") { order in
      order.address.path.hasSuffix("/a/")
        ? .init(#"{"id":"a","vidURLs":[{"url":"v"}]}"#) : Self.page(["a"], of: 1)
    }
    try expect(trial.rows(), equals: #"[{"id":"a","vidURLs":[{"url":"v"}]}]"#)
    expect(trial.paths.last, equals: "2.0.0/launch/a/")
  }

  @Test("a key goes along as the service wants it")
  func key() throws {
    let trial = try WebTrial("launch_library: { key: abc, url: 'http://a' }") { _ in Self.page([], of: 0) }
    _ = try trial.poll()
    expect(trial.asked.entries.first?.headers.contains { $0.value == "Token abc" }, equals: true)
  }

  private static let throttle = "api-throttle/"

  private func budgetTrial(
    _ options: String = "", used: Int, _ answer: @escaping @Sendable () -> Canned.Reply
  ) throws -> WebTrial {
    let hourly = SiteBudget([.init(15, per: .seconds(3600))], learnedPeriod: .seconds(3600))
    return try WebTrial("launch_library: { url: 'http://a', cache: 0s\(options) }", budgets: ["a": hourly]) {
      order in
      guard order.address.path.hasSuffix(Self.throttle) else { return answer() }
      return .init(
        #"{"your_request_limit":210,"limit_frequency_secs":3600,"current_use":\#(used),"next_use_secs":-9}"#)
    }
  }

  private func asksBudget(_ trial: WebTrial) -> [Bool] { trial.paths.map { $0.hasSuffix(Self.throttle) } }

  @Test(
    "what is left of the budget is asked before the first poll of a run, and when the service refuses one")
  func budget() throws {
    let isRefusing = Locked(false)
    let trial = try budgetTrial(used: 3) {
      isRefusing.withLock { $0 } ? .init("{}", status: 429) : Self.page([], of: 0)
    }
    _ = try trial.poll()
    _ = try trial.poll()
    #expect(trial.paths.first == "2.3.0/api-throttle/" && asksBudget(trial) == [true, false, false])
    isRefusing.withLock { $0 = true }
    #expect(throws: FetchError.self) { try trial.poll() }
    #expect(asksBudget(trial).last == true && asksBudget(trial).count { $0 } == 2)
  }

  @Test("a key has a budget of its own, which is learnt; the question goes with the key, and costs nothing")
  func keyedBudget() throws {
    let trial = try budgetTrial(", key: abcdef", used: 10) { Self.page([], of: 0) }
    // More than anybody may without a key.
    for _ in 0..<20 { _ = try trial.poll() }
    expect(trial.paths.count, equals: 21)
    #expect(
      trial.asked.entries.allSatisfy {
        $0.headers.contains(Header("Authorization", "Token abcdef", isSecret: true))
      })
  }

  @Test("where the service does not say, or the config knows better, polls continue as usual")
  func noBudget() throws {
    let silent = try WebTrial(
      "launch_library: { url: 'http://a' }",
      budgets: ["a": WebAccess.budgets["ll.thespacedevs.com"] ?? .unlimited]
    ) {
      $0.address.path.hasSuffix(Self.throttle) ? .init("no", status: 500) : Self.page(["a"], of: 1)
    }
    try expect(silent.poll().rows.count, equals: 1)
    expect(asksBudget(silent), equals: [true, false])
    let known = try WebTrial(
      "launch_library: { url: 'http://a' }", budgets: ["a": SiteBudget([.init(15, per: .seconds(3600))])]
    ) { _ in Self.page(["a"], of: 1) }
    _ = try known.poll()
    expect(asksBudget(known), equals: [false])
  }
}
