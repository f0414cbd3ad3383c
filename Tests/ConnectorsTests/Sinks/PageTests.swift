import Expectations
@testable import Connectors
import JSON
import Page
import Reactive
import Store
import TestSupport
import Testing
import Trials

@Suite("Sink page")
struct PageTests {
  private static let now = 1_767_225_600.0

  private func titles(_ view: PageView) -> [String] {
    PageQuery().rows(of: view.snapshot, view.form).map(\.title)
  }

  /// Runs a page on polls and returns its view as it is at the end.
  private func view(
    _ options: String, polls: [[String]] = [], lines: [String] = [], state: TemporaryState? = nil
  ) throws -> (view: PageView, seen: SinkBench.Seen) {
    let hub = PageHub(now: { Self.now })
    var bench = SinkBench()
    bench.state = state
    bench.page = hub
    let seen = try bench.run("it:\n  page: \(options)", polls: polls, lines: lines)
    return (try #require(hub.views.first), seen)
  }

  private let simple = #"{ key: .id, title: '\(.name)' }"#

  @Test("rows are added, replaced, and removed when a poll lacks them")
  func polls() throws {
    let (view, _) = try view(
      simple,
      polls: [
        [#"{"id": 1, "name": "A"}"#, #"{"id": 2, "name": "B"}"#],
        [#"{"id": 2, "name": "B2"}"#, #"{"id": 3, "name": "C"}"#],
      ])
    expect(titles(view), equals: ["B2", "C"])
    expect(view.snapshot.commit, equals: 2)
    expect(view.path, equals: ["p", "it"])
  }

  @Test("a poll that brings nothing new is no commit")
  func unchanged() throws {
    let rows = [#"{"id": 1, "name": "A"}"#]
    let (view, _) = try view(simple, polls: [rows, rows, rows])
    #expect(view.snapshot.commit == 1 && view.snapshot.polledAt == Self.now + 2)
  }

  @Test("a row is as old as the last poll that had it, where the next ones fail or a step fails on it")
  func ages() throws {
    func ages(_ polls: [[String]], state: TemporaryState? = nil) throws -> [String: Double?] {
      let page = #"{ key: .id, title: '\(.name | if . == 7 then error("no name") else . end)' }"#
      let rows = try view(page, polls: polls, state: state).view.snapshot.rows.values
      return Dictionary(uniqueKeysWithValues: rows.map { ($0.title, $0.lastRead.map { $0 - Self.now }) })
    }
    let good = [#"{"id": 1, "name": "A"}"#, #"{"id": 2, "name": "B"}"#]
    let bad = [#"{"id": 1, "name": "A"}"#, #"{"id": 2, "name": 7}"#]
    let failed = [SinkBench.failedPoll]
    try expect(ages([good, good]), equals: ["A": nil, "B": nil])
    try expect(ages([good, good, failed, failed]), equals: ["A": 1, "B": 1])
    try expect(ages([good, good, failed, good]), equals: ["A": nil, "B": nil])
    try expect(ages([good, good, bad, bad]), equals: ["A": nil, "B": 1])
    try expect(ages([good, bad, failed, bad]), equals: ["A": nil, "B": 0])
    let state = try TemporaryState()
    _ = try ages([good, good, bad], state: state)
    try expect(ages([failed, bad], state: state), equals: ["A": nil, "B": 1])
    try expect(ages([good], state: state), equals: ["A": nil, "B": nil])
  }

  @Test("without polls rows are replaced and removed by key, and the oldest make room")
  func lines() throws {
    let (view, _) = try view(
      #"{ key: .id, title: '\(.name)', removed: .gone, max_rows: 2 }"#,
      lines: [
        #"{"id": 1, "name": "A"}"#, #"{"id": 2, "name": "B"}"#, #"{"id": 1, "name": "A2"}"#,
        #"{"id": 3, "name": "C"}"#, #"{"id": 3, "gone": true}"#, #"{"id": 9, "gone": true}"#,
      ])
    expect(titles(view), equals: ["A2"])
  }

  @Test("rows of a whole poll beyond the bound are left out, and that is reported")
  func bound() throws {
    let (view, seen) = try view(
      #"{ key: ., title: '\(.)', max_rows: 2 }"#, polls: [["1", "2", "3", "4"], ["3", "4", "5"]])
    expect(titles(view), equals: ["3", "4"])
    #expect(seen.log.contains("it: 2 rows are left out: there are more than max_rows"))
  }

  @Test("rows are there after a restart, with their commits, and the commits count on")
  func restart() throws {
    let state = try TemporaryState()
    let first = try view(
      simple, polls: [[#"{"id": 1, "name": "A"}"#, #"{"id": 2, "name": "B"}"#]], state: state
    ).view
    let before = first.snapshot
    let second = try view(simple, lines: [], state: state).view
    expect(titles(second), equals: ["A", "B"])
    #expect(second.snapshot.commitID == before.commitID && before.commit == 1)
    let third = try view(simple, polls: [[#"{"id": 2, "name": "B"}"#]], state: state).view
    expect(titles(third), equals: ["B"])
    #expect(third.snapshot.commit == 2 && third.snapshot.stateID == before.stateID)
    let fourth = try view(simple, lines: [], state: state).view
    expect(fourth.snapshot.commit, equals: 2)
  }

  @Test("a row has the same place after a restart, whatever its key is")
  func ids() throws {
    let state = try TemporaryState()
    let options = #"{ key: ., title: x }"#
    let first = try view(options, polls: [[#"{"b": 1, "a": 2.0}"#, "1.0"]], state: state).view
    let second = try view(options, lines: [], state: state).view
    expect(Set(first.snapshot.rows.keys), equals: Set(second.snapshot.rows.keys))
    expect(first.snapshot.rows.count, equals: 2)
  }

  @Test("all parts of a row are evaluated")
  func parts() throws {
    let (view, _) = try view(
      """
      { as: board, name: N, key: .id, title: T, subtitle: S, time: .net, precision: '"day"', status: .s, picture: .p,
          link: .l, map: .l, facets: { F: .f }, sort: .id, group: G, detail: { D: .d }, units: metric }
      """,
      polls: [
        [
          #"{"id": 1, "net": "2026-01-02T03:00:00Z", "s": {"word": "Go", "color": "green"}, "p": "https://p", "l": "ftp://l", "f": ["x", "y"], "d": {"m": 1, "ft": 3}}"#
        ]
      ])
    let row = try #require(view.snapshot.rows.values.first)
    #expect(row.title == "T" && row.subtitle == "S" && row.group == "G")
    #expect(row.time?.text == "2026-01-02" && row.status?.tone == .good)
    #expect(row.picture?.text == "https://p" && row.link == nil)
    #expect(row.facet("F") == ["x", "y"] && view.form.units == .metric && view.form.name == "N")
  }

  @Test("a log has a row for each change, the newest first")
  func log() throws {
    let hub = PageHub(now: { Self.now })
    var bench = SinkBench()
    bench.page = hub
    let change =
      #"{"type": "changed", "key": "a", "at": "2026-01-01T00:00:00Z", "diff": [{"path": "/n", "before": 1, "after": 2}]}"#
    let later = #"{"type": "removed", "key": "a", "at": "2026-01-02T00:00:00Z", "diff": []}"#
    _ = try bench.run(#"it: { page: { as: log, title: '\(.key)' } }"#, lines: [change, later])
    let view = try #require(hub.views.first)
    let rows = PageQuery().rows(of: view.snapshot, view.form)
    expect(rows.map { $0.status?.word }, equals: ["removed", "changed"])
    expect(rows.last?.content.member("changes")?.count, equals: 1)
  }

  @Test("a log has the precision of the times before and after a change")
  func logOfPrecisions() throws {
    let lines = [
      #"{"type": "changed", "key": 1, "before": {"p": "year"}, "after": {"p": "day"}, "diff": []}"#,
      #"{"type": "added", "key": 2, "before": null, "after": {"p": "day"}}"#,
    ]
    let (view, _) = try view("{ as: log, title: x, precision: .p }", lines: lines)
    let rows = PageQuery().rows(of: view.snapshot, view.form)
    expect(
      Set(rows.compactMap { $0.content.member("precisions")?.description }),
      equals: [
        #"{"before":"year","after":"day"}"#, #"{"before":null,"after":"day"}"#,
      ])
    #expect(rows.allSatisfy { $0.content.member("precision") == nil })
  }

  private func courses(_ view: PageView) -> [String] {
    PageQuery().rows(of: view.snapshot, view.form).map { $0.content.member("spark")?.description ?? "none" }
  }

  @Test("spark stores how a number moves: each change, also to nothing, and goes on after a restart")
  func spark() throws {
    let state = try TemporaryState()
    let options = #"{ key: .id, title: '\(.id)', spark: .price }"#
    let polls = [
      [#"{"id": 1, "price": 5}"#, #"{"id": 2, "price": null}"#], [#"{"id": 1, "price": 5}"#, #"{"id": 2}"#],
      [#"{"id": 1, "price": 4.5}"#, #"{"id": 2, "price": 1}"#], [#"{"id": 1}"#, #"{"id": 2, "price": 1}"#],
    ]
    let first = try view(options, polls: polls, state: state).view
    #expect(first.form.spark == "price" && !first.form.hasTime && !first.form.hasStatus)
    let moments = (0..<4).map { "\(Int(Self.now) + $0)" }
    let one = "[[\(moments[0]),5],[\(moments[2]),4.5],[\(moments[3]),null]"
    expect(courses(first), equals: [one + "]", "[[\(moments[2]),1]]"])
    let second = try view(options, polls: [[#"{"id": 1, "price": 6}"#]], state: state).view
    #expect(
      courses(second).first?.hasPrefix(one + ",[") == true && courses(second).first?.hasSuffix(",6]]") == true
    )
  }

  @Test("spark of another expression has nothing of the course before it")
  func otherSpark() throws {
    let state = try TemporaryState()
    _ = try view("{ key: .id, title: x, spark: .n }", polls: [[#"{"id": 1, "n": 5, "m": 8}"#]], state: state)
    let other = try view(
      "{ key: .id, title: x, spark: .m }", polls: [[#"{"id": 1, "n": 5, "m": 9}"#]], state: state)
    let points = try #require(other.view.snapshot.rows.values.first?.content.member("spark")?.items)
    expect(points.map { $0.items?.last?.double }, equals: [9.0])
  }

  @Test("spark keeps the last 60 values, and one for each instant")
  func boundOfSpark() throws {
    let (view, _) = try view(
      "{ key: .id, title: x, spark: .n }", polls: (1...70).map { [#"{"id": 1, "n": \#($0)}"#] })
    let points = try #require(view.snapshot.rows.values.first?.content.member("spark")?.items)
    #expect(
      points.count == 60 && points.first?.description.hasSuffix(",11]") == true
        && points.last?.description.hasSuffix(",70]") == true)
    let burst = try self.view(
      "{ key: .id, title: x, spark: .n }", polls: [(1...3).map { #"{"id": 1, "n": \#($0)}"# }])
    expect(burst.view.snapshot.rows.values.first?.content.member("spark")?.count, equals: 1)
  }

  @Test("what is not a number is an error that says how to make one of it")
  func sparkOfText() throws {
    let (view, seen) = try view(
      "{ key: .id, title: x, spark: .price }",
      polls: [[#"{"id": 1, "price": "4.50"}"#, #"{"id": 2, "price": 4}"#]])
    expect(view.snapshot.rows.count, equals: 1)
    #expect(
      seen.log.contains {
        $0.hasPrefix(#"it: row 1: spark: "4.50" is not a number; tonumber makes one of text"#)
      })
  }

  @Test("a dry run prints the rows")
  func dryRun() throws {
    var bench = SinkBench()
    bench.isDryRun = true
    let seen = try bench.run(
      "it: { page: { key: .id, title: '\\(.name)', removed: .gone } }",
      lines: [#"{"id": 1, "name": "A"}"#, #"{"id": 1, "gone": true}"#])
    expect(seen.text, equals: "it: 1: A\nit: 1: removed\n")
  }

  @Test("a thing that changes several times at one instant has a row for each, the last one first")
  func logAtOneInstant() throws {
    let lines = (1...12).map {
      #"{"type": "changed", "key": 7, "at": "2026-01-01T00:00:00Z", "after": {"n": \#($0)}}"#
    }
    let (view, _) = try view("{ as: log, title: seven, detail: { N: .after.n } }", lines: lines)
    let rows = PageQuery().rows(of: view.snapshot, view.form)
    expect(
      rows.map { $0.members("detail").first?.value.double }, equals: (1...12).reversed().map(Double.init))
  }

  @Test("a key is required, except in a log")
  func key() {
    #expect(SinkBench.problems("it: { page: { title: x } }").contains("page needs a key"))
    #expect(
      SinkBench.problems("it: { page: { as: log, title: x, spark: .n } }").contains(
        "spark needs rows that stay, and in a log without a key each event is a row"))
    #expect(SinkBench.problems("it: { page: { as: log, title: x } }").isEmpty)
  }
}
