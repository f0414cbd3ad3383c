import Expectations
import Foundation
import JSON
import Testing

@testable import flow

/// `flow backtest`: the outputs of two pipelines over one recording.
@Suite("flow backtest", .timeLimit(.minutes(30))) struct BacktestCommandTests {
  private static func pipeline(_ steps: String) -> String {
    """
    name: p
    vars: { least: 5 }
    sources: { in: { http: 'https://example.org/list.json', every: 1h } }
    steps: [changes: { key: .id }, \(steps)]
    sinks: { tell: { notify: '\\(.after.n)' } }
    """
  }

  private func workplace() throws -> Workplace {
    let place = try Workplace(Self.pipeline("{ filter: .after.n > $vars.least }"))
    try place.record(
      #"{"at":"2026-01-01T00:00:00Z","rows":[{"id":1,"n":1}],"coverage":"complete"}"#,
      #"{"at":"2026-01-01T01:00:00Z","rows":[{"id":1,"n":9}],"coverage":"complete"}"#,
      #"{"at":"2026-01-01T02:00:00Z","error":"no answer"}"#,
      #"{"at":"2026-01-02T00:00:00Z","rows":[{"id":1,"n":7}],"coverage":"complete"}"#,
      #"{"at":"2026-01-02T03:00:00Z","rows":[{"id":1,"n":2}],"coverage":"complete"}"#)
    return place
  }

  @Test("a pipeline by itself: what each sink would have been given, by day")
  func alone() throws {
    let place = try workplace()
    let seen = try place.flow("backtest", "p.yaml", "--over", "rec")
    expect(
      seen.output, equals: "day\tsink\toutputs\n2026-01-01\ttell\t1\n2026-01-02\ttell\t1\nall\t\t2\n",
      "\(seen)")
    expect(seen.status, equals: 0)
    try expect(
      place.flow("backtest", "p.yaml", "--set", "least=99", "--over", "rec").output,
      equals: "nothing is put out\n")
    #expect(!place.has("out"))
  }

  @Test("what only one has, and what one has later; the same pipeline differs in nothing")
  func compared() throws {
    let place = try workplace()
    try expect(place.flow("backtest", "--against", "p.yaml", "--over", "rec", "p.yaml").status, equals: 0)
    try place.write("new.yaml", Self.pipeline("{ delay: 10m }, { filter: .after.n < $vars.least + 3 }"))
    let seen = try place.flow(
      "backtest", "--against", "p.yaml", "--over", "rec", "--svg", "b.svg", "--page", "b.html", "new.yaml")
    expect(
      seen.output,
      equals: """
        day\tsink\tin both\tonly new\tonly old\tmoved
        2026-01-01\ttell\t\t\t1\t
        2026-01-02\ttell\t\t1\t\t1
        all\t\t0\t1\t1\t1
        only old        2026-01-01 01:00:00Z  ~ changed  1  n: 1 → 9
        10m later       2026-01-02 00:10:00Z  ~ changed  1  n: 9 → 7
        only new        2026-01-02 03:00:00Z  ~ changed  1  n: 7 → 2

        """, "\(seen)")
    expect(seen.status, equals: 1)
    let drawing = place.text("b.svg")
    #expect(drawing.components(separatedBy: "<circle").count == 9 && drawing.contains(">tell: new.yaml<"))
    let page = place.text("b.html")
    #expect(
      page.contains(drawing) && page.contains("<tr><td>2026-01-02</td><td>tell</td><td></td><td>1</td>"))
    #expect(page.contains("<li>10m later 2026-01-02 00:10:00Z  ~ changed  1  n: 9 → 7</li>"), "\(page)")
    let lines = try place.flow("backtest", "--json", "--against", "p.yaml", "--over", "rec", "new.yaml")
    let sides = lines.output.split(separator: "\n").compactMap { try? Value.parse(Array($0.utf8)) }
    #expect(sides.map { $0.member("in")?.string } == ["old", "moved", "new"] && sides[1].member("by") == 600)
    _ = try place.flow(
      "backtest", "--against", "p.yaml", "--over", "rec", "--page", "b.html", "-n", "1", "new.yaml")
    expect(place.text("b.html").contains("7</li>"), equals: false)
    #expect(place.text("b.html").contains("<li>… and 2 more</li>"))
    _ = try place.flow("backtest", "--over", "rec", "--page", "b.html", "p.yaml")
    #expect(place.has("b.html") && !place.text("b.html").contains("<ul>"))
    // Settings are of the new pipeline alone.
    let set = try place.flow("backtest", "--against", "p.yaml", "--set", "least=8", "--over", "rec", "p.yaml")
    #expect(set.output.contains("all\t\t1\t0\t1\t0"), "\(set)")
  }

  @Test("differences of several sinks name theirs, and the drawing says what its colours mean")
  func sinks() throws {
    let place = try workplace()
    for (file, least) in [("p.yaml", 5), ("new.yaml", 8)] {
      let text = Self.pipeline("{ filter: .after.n > $vars.least }")
        .replacing("least: 5", with: "least: \(least)")
        .replacing("sinks: { tell:", with: "sinks: { log: { jsonl: x.jsonl }, tell:")
      try place.write(file, text)
    }
    let seen = try place.flow(
      "backtest", "--against", "p.yaml", "--over", "rec", "--svg", "b.svg", "new.yaml")
    #expect(
      seen.output.contains("only old in log   2026-01-02 00:00:00Z  ~ changed  1  n: 9 → 7\n")
        && seen.output.contains("only old in tell  2026-01-02"), "\(seen)")
    let drawing = place.text("b.svg")
    #expect(["in both", "only new", "only old", "moved"].allSatisfy { drawing.contains(">\($0)</text>") })
  }

  @Test("secrets of both pipelines are redacted")
  func secrets() throws {
    let place = try workplace()
    for (file, name) in [("p.yaml", "OLD_TOKEN"), ("new.yaml", "NEW_TOKEN")] {
      let text = Self.pipeline("{ map: '{ id: .key, n: .after.n, token: $vars.least }' }")
      try place.write(file, text.replacing("least: 5", with: "least: '${\(name)}'"))
    }
    let environment = ["OLD_TOKEN": "old-s3cret-1", "NEW_TOKEN": "new-s3cret-2"]
    let words = [
      "backtest", "--against", "p.yaml", "--over", "rec", "--page", "b.html", "--svg", "b.svg", "new.yaml",
    ]
    let seen = try place.flow(words, environment: environment)
    let lines = try place.flow(words + ["--json"], environment: environment)
    for text in [seen.output, lines.output, place.text("b.html"), place.text("b.svg")] {
      #expect(text.contains("***") && !text.contains("s3cret"), "\(text)")
    }
  }

  @Test("a missing recording or pipeline is named")
  func mistakes() throws {
    let place = try workplace()
    let missing = try place.flow("backtest", "p.yaml")
    #expect(missing.status == 2 && missing.errors.contains("--over FOLDER is missing"))
    let none = try place.flow("backtest", "p.yaml", "--over", "nowhere")
    #expect(none.status == 2 && none.errors.contains("there is no recording in nowhere"), "\(none)")
    try expect(place.flow("backtest", "q.yaml", "--over", "rec").status, equals: 2)
  }
}
