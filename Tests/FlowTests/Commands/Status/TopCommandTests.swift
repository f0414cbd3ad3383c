import Expectations
import Engine
import Foundation
import Language
import Testing

@testable import flow

@Suite("flow top", .timeLimit(.minutes(30)))
struct TopCommandTests {
  private func status(_ nodes: NodeStatus..., process: Int = 1, name: String = "slips") -> RunStatus {
    var pipeline = PipelineStatus(name: name, path: "p.yaml", phase: .running, started: 0)
    pipeline.nodes = nodes
    return RunStatus(process: process, version: "0", at: 0, pipelines: [pipeline])
  }

  private func node(
    _ name: String, in taken: Int? = nil, out: Int? = nil, seconds: Double? = nil,
    role: NodeStatus.Role = .step
  ) -> NodeStatus {
    var node = NodeStatus(name: name, kind: "map", role: role)
    (node.eventsIn, node.eventsOut, node.seconds) = (taken, out, seconds)
    return node
  }

  @Test("rates are taken between two snapshots; a counter that begins again has none")
  func rates() {
    var table = TopTable()
    table.add([status(node("a", in: 100, out: 10, seconds: 1))], at: 50)
    #expect(table.rows[0].eventsIn == nil && table.rows[0].time == 0.01)
    table.add([status(node("a", in: 300, out: 20, seconds: 1.4))], at: 52)
    #expect(table.rows[0].eventsIn == 100 && table.rows[0].eventsOut == 5)
    #expect(abs((table.rows[0].time ?? 0) - 0.002) < 1e-9 && table.rows[0].history == [5])
    table.add([status(node("a", in: 1, out: 0, seconds: 0.1))], at: 53)
    #expect(table.rows[0].eventsIn == nil && table.rows[0].history == [5])
    for time in 54..<200 { table.add([status(node("a", in: time, out: time))], at: Double(time)) }
    expect(table.rows[0].history.count, equals: TopTable.historySize)
  }

  @Test("rows are sorted by any column, largest first, and pipelines that have ended are left out")
  func sorting() {
    var table = TopTable()
    for (time, count) in [(0.0, 0), (1.0, 10)] {
      var over = status(node("z"), name: "old")
      over.pipelines[0].phase = .completed
      table.add(
        [status(node("b", in: count, out: count), node("a", in: 2 * count, out: 0)), over], at: time)
    }
    func order(_ key: TopTable.Key, _ isReversed: Bool = false) -> [String] {
      table.sorted(by: key, isReversed: isReversed).map(\.id.node)
    }
    #expect(order(.order) == ["b", "a"] && order(.name) == ["a", "b"])
    #expect(order(.in) == ["a", "b"] && order(.out) == ["b", "a"] && order(.out, true) == ["a", "b"])
  }

  @Test("numbers take few columns")
  func texts() {
    expect(
      [0, 0.04, 2.54, 9.97, 340.4, 12_340, 2_500_000].map(StatusText.rate),
      equals: [
        "0", "0.1", "2.5", "10", "340", "12.3k", "2.5M",
      ])
    expect(
      [8.5e-7, 1.24e-6, 0.0000123, 0.0015, 2].map(StatusText.time),
      equals: [
        "850ns", "1.2µs", "12µs", "1.5ms", "2.0s",
      ])
    // What is not zero has two eighths at least.
    expect(StatusText.sparkline([9, 0, 1, 4, 8], width: 4), equals: "▁▃▅█")
    #expect(StatusText.sparkline([0, 0], width: 4) == "▁▁" && StatusText.sparkline([], width: 4).isEmpty)
  }

  @Test("the screen has as many lines as the terminal, none wider, at any size")
  func screen() {
    var table = TopTable()
    for time in 0..<30 {
      let nodes = (0..<20).map {
        node("a-step-with-a-long-name-\($0)", in: time * $0, out: time * $0, seconds: 1)
      }
      var one = status(node("upcoming", out: time, role: .source))
      one.pipelines[0].nodes += nodes
      table.add([one, status(node("log", in: 5, out: 5), process: 2, name: "moon")], at: Double(time))
    }
    for columns in [20, 40, 60, 80, 140, 300] {
      for rows in [3, 10, 24, 60] {
        var view = TopView(folder: "/f")
        for press: TopView.Press? in [nil, .down, .open, .next] {
          if let press { _ = view.press(press, table) }
          let lines = view.screen(table, (columns, rows), now: 0, .off)
          #expect(
            lines.count <= max(rows, 3) && lines.allSatisfy { $0.columns <= columns }, "\(columns)x\(rows)")
        }
      }
    }
    let wide = TopView(folder: "/f").lines(table, width: 140, .off)
    #expect(wide[0].hasPrefix("node ") && wide[0].contains(" in/s") && wide[1].hasPrefix("slips:upcoming"))
    expect(wide.last?.hasPrefix("moon:log"), equals: true)
  }

  @Test("keys sort, select and open; unknown ones do nothing")
  func keys() {
    expect(
      TopView.Press.all(in: Array("sx\u{1B}[A\u{1B}OB\u{1B}[1;2C\r\u{1B}q".utf8)),
      equals: [
        .next, .up, .down, .next, .open, .close, .quit,
      ])
    var table = TopTable()
    table.add([status(node("a"), node("b"))], at: 0)
    var view = TopView(folder: "/f")
    func press(_ presses: TopView.Press...) -> [Bool] { presses.map { view.press($0, table) } }
    expect(press(.down), equals: [true])
    expect(view.selected?.node, equals: "a")
    expect(press(.down, .down, .open), equals: [true, true, true])
    #expect(view.selected?.node == "b" && view.isDetail)
    #expect(view.screen(table, (80, 24), now: 0, .off).contains { $0.contains("flow tap slips:b") })
    expect(press(.close, .quit), equals: [true, false])
    #expect(!view.isDetail)
  }

  @Test("where there is no terminal, one table of what runs is printed")
  func once() throws {
    let place = try Workplace(
      """
      name: watch
      sources: { numbers: { generate: '{ n: 1 }', every: 50ms } }
      steps: [map: .n]
      sinks: { log: { jsonl: log.jsonl } }
      """)
    let none = try place.flow("top")
    #expect(none.status == 1 && none.errors.contains("no pipeline runs"), "\(none)")
    let run = try place.start()
    try run.wait(for: "an answer") { (try? place.flow("status", "watch").status) == 0 }
    let outcome = try place.flow("top", "--every", "300ms")
    let lines = outcome.output.split(separator: "\n")
    #expect(outcome.status == 0 && outcome.errors.isEmpty && lines.count == 4, "\(outcome)")
    expect(lines.map { $0.prefix { $0 != " " } }, equals: ["node", "numbers", "map", "log"])
    try expect(place.flow("top", "wacth").status, equals: 2)
    try expect(place.flow("top", "--every", "1ms").status, equals: 2)
    _ = try run.end(by: SIGTERM)
  }
}
