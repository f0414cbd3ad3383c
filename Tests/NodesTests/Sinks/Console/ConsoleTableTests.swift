import Expectations
import Trials
import Testing

@testable import Nodes
import System

@Suite struct ConsoleTableTests {
  private let sink = "screen: { console: { table: [.name, .n] } }"
  private let polls = [
    [#"{"name":"Heron","n":1}"#, #"{"name":"Wren\u001b[2J","n":22}"#], [#"{"name":"Kite","n":null}"#], [],
  ]
  private let begin = "\u{1B}[?2026h\r"
  private let end = "\u{1B}[?2026l"
  private let line = "\u{1B}[2K"

  /// The line below a live table.
  private func footer(_ second: Int) -> String { "\(line)as of 00:00:0\(second) UTC\r\n" }

  @Test("elsewhere than on a terminal rows have tabs, and headers once")
  func plain() throws {
    let seen = try SinkBench().run(sink, polls: polls)
    expect(seen.writes, equals: ["name\tn\nHeron\t1\nWren\\u001b[2J\t22\n", "Kite\t\n"])
    let bare = try SinkBench().run("screen: { console: { table: [.n], header: false } }", polls: polls)
    expect(bare.text, equals: "1\n22\n\n")
  }

  @Test("on a terminal each poll is drawn where the last one stood")
  func live() throws {
    let seen = try SinkBench(isTerminal: true).run(sink, polls: polls)
    expect(
      seen.writes,
      equals: [
        begin + line + "name            n\r\n" + line + "Heron           1\r\n" + line
          + "Wren\\u001b[2J  22\r\n" + footer(0) + end,
        begin + "\u{1B}[4A" + line + "name\r\n" + line + "Kite\r\n" + footer(1) + "\u{1B}[J" + end,
        begin + "\u{1B}[3A" + line + "name  n\r\n" + footer(2) + "\u{1B}[J" + end,
      ])
  }

  @Test("each list has its rows, until its last poll")
  func lists() {
    var table = LiveTable(headers: [], maxRows: nil, paint: .off)
    let isShown = [
      table.show([], of: "in[a]"), table.show([TableRow(cells: ["1"])], of: "in[a]"),
      table.show([TableRow(cells: ["2"])], of: "in[b]"),
    ]
    expect(isShown, equals: [false, true, true])
    expect(table.lines(rows: 9, columns: 9), equals: ["1", "2"])
    let isLastShown = table.show([], of: "in[a]", isLast: true)
    #expect(isLastShown && table.lines(rows: 9, columns: 9) == ["2"])
  }

  @Test(
    "a row that a poll misses since a step fails on it, or whose list fails, stays, with its age")
  func old() throws {
    let sink = "screen: { console: { table: ['.name | ascii_upcase'], header: false } }"
    var bench = SinkBench(isTerminal: true, columns: 60, afterwards: .milliseconds(2500))
    bench.key = ".id"
    func last(_ polls: [[String]]) throws -> [String] {
      let text = try bench.run(sink, polls: polls).writes.last ?? ""
      return text.split(separator: "\r\n").filter { $0.contains(line) }
        .map { String($0[($0.range(of: line)?.upperBound ?? $0.startIndex)...]) }
    }
    let good = [#"{"id":1,"name":"a"}"#, #"{"id":2,"name":"b"}"#, #"{"id":3,"name":"c"}"#]
    let bad = [#"{"id":1,"name":7}"#, #"{"id":2,"name":"b2"}"#]
    // Behind these polls all fail.
    try expect(last([good]), equals: ["A", "B", "C", "as of 00:00:00 UTC, 3 rows of 00:00:00"])
    bench.afterwards = .milliseconds(500)
    try expect(last([good, bad, bad]), equals: ["B2", "A", "as of 00:00:02 UTC, 1 row of 00:00:00"])
    try expect(last([good, bad, good]), equals: ["A", "B", "C", "as of 00:00:02 UTC"])
  }

  @Test("no more rows are drawn than fit or are wanted, and the rest is counted")
  func tooMany() throws {
    let poll = (1...30).map { #"{"name":"\#(String(repeating: "x", count: 10_000))","n":\#($0)}"# }
    var bench = SinkBench(isTerminal: true, columns: 20, rows: 6)
    let lines = try bench.run(sink, polls: [poll]).text.split(separator: "\r\n").map(String.init)
    expect(lines.count, equals: 6)
    expect(lines[1], equals: line + "xxxxxxxxxxxxxxxx…  1")
    expect(lines[4], equals: line + "… and 27 more")
    bench.rows = 50
    let two = try bench.run("screen: { console: { table: [.n], max_rows: 2 } }", polls: [poll]).text
    expect(
      two,
      equals: begin + ["n", "1", "2", "… and 28 more"].map { line + $0 + "\r\n" }.joined() + footer(0) + end)
  }

  @Test("what other sinks print stands above the table")
  func others() throws {
    let sinks = sink + "\nlines: { console: '\\(.n)' }"
    let seen = try SinkBench(isTerminal: true).run(sinks, polls: [[#"{"n":1}"#], [#"{"n":2}"#]])
    func table(_ number: Int) -> String {
      line + "n\r\n" + line + "\(number)\r\n" + footer(number - 1) + end
    }
    let up = "\u{1B}[3A"
    expect(
      seen.writes,
      equals: [
        begin + table(1), "\r" + up + "\u{1B}[J" + "1\n" + begin + table(1), begin + up + table(2),
        "\r" + up + "\u{1B}[J" + "2\n" + begin + table(2),
      ])
  }

  @Test("rows without polls are printed as they come, in columns that hold")
  func streaming() throws {
    let lines = [#"{"name":"Heron","n":1}"#, #"{"name":"火星","n":2}"#]
    let bench = SinkBench(isTerminal: true, hasColors: true)
    try expect(
      bench.run(sink, lines: lines).writes, equals: ["\u{1B}[1mname   n\u{1B}[0m\nHeron  1\n火星   2\n"])
    let log = "screen: { console: { table: [.name, .n], live: false } }"
    try expect(
      SinkBench(isTerminal: true).run(log, polls: polls).writes,
      equals: [
        "name           n\nHeron          1\nWren\\u001b[2J  22\n", "Kite           \n",
      ])
  }

  @Test("a row that comes later is cut rather than put out of line by a long cell")
  func longCell() {
    var printer = RowPrinter(headers: ["a", "b"], paint: .off)
    let long = String(repeating: "x", count: 100)
    let text = printer.lines([TableRow(cells: [long, "1"]), TableRow(cells: ["y", long])], width: 60)
    let lines = text.split(separator: "\n")
    expect(lines[1], equals: String(repeating: "x", count: 39) + "…  1")
    expect(
      lines[2], equals: "y" + String(repeating: " ", count: 41) + String(repeating: "x", count: 17) + "…")
  }

  @Test("headers are the last names of the fields, or as many as distinguish them")
  func headers() throws {
    let sink =
      "screen: { console: { table: [.after.name, .before.net, .after.net, '.a | length', '.[0]?'] } }"
    let seen = try SinkBench().run(sink, lines: ["{}"])
    expect(seen.text.split(separator: "\n").first, equals: "name\tbefore.net\tafter.net\t.a | length\t.[0]?")
    let named = try SinkBench().run("screen: { console: { table: { When it is: .net } } }", lines: ["{}"])
    expect(named.text, equals: "When it is\n\n")
  }

  @Test("an address is a link on the header of its column, where there are colours")
  func links() throws {
    let sink = "screen: { console: { table: { Name: .name, Map: .map, Where it is on the map: .map } } }"
    let poll = [#"{"name":"Heron","map":"https://m.org/a"}"#]
    let link = "\u{1B}]8;;https://m.org/a\u{1B}\\"
    let end = "\u{1B}]8;;\u{1B}\\"
    let seen = try SinkBench(isTerminal: true, hasColors: true).run(sink, polls: [poll])
    #expect(
      seen.text.contains("Heron  \(link)map\(end)  \(link)link\(end)\r\n"), "\(seen.text.debugDescription)")
    let plain = try SinkBench(isTerminal: true).run(sink, polls: [poll])
    #expect(plain.text.contains("Heron  https://m.org/a  https://m.org/a\r\n"))
  }
}
