import Expectations
import Foundation
import JSON
import System
import Testing

@testable import Page

@Suite("The history of a key")
struct KeyHistoryTests {
  /// An entry of a log about a key: what `page` writes for an event of `changes`.
  private func entry(
    _ key: String, at time: Int, _ changes: String, commit: Int = 1, type: String = "changed"
  ) throws
    -> PageRow
  {
    PageRow(
      key: .array([.string(key), .string(type), .number(Double(time))]), commit: commit,
      changedAt: Double(time),
      content: try Value.parse(
        #"{"title": "\#(key)", "time": \#(time), "status": "\#(type)", "changes": \#(changes)}"#))
  }

  private func slip(_ before: String, _ after: String) -> String {
    #"[{"path": "/net", "before": \#(before), "after": \#(after)}]"#
  }

  @Test("an entry's page has all entries about its key, the newest first, and a chart of what moved")
  func shown() throws {
    let page = PageFixture(.log)
    let (one, two) = (#""2026-02-01T00:00:00Z""#, #""2026-03-01T00:00:00Z""#)
    let rows = [
      try entry("a", at: 1_767_000_000, "[]", type: "added"),
      try entry("a", at: 1_767_100_000, slip(one, two)),
      try entry("a", at: 1_767_200_000, slip(two, one)), try entry("b", at: 1_767_150_000, slip(one, two)),
    ]
    page.view.publish(rows.map { .set($0) }, commit: 1)
    let text = page.get("/v/p/s/\(rows[1].id)").text
    let history = try #require(text.components(separatedBy: #"id="history""#).last)
    let places = rows.prefix(3).map { history.range(of: "/v/p/s/\($0.id)\"")?.lowerBound }
    #expect(places[2] != nil && places[2]! < places[1]! && places[1]! < places[0]!)
    #expect(!history.contains(rows[3].id))
    #expect(
      history.contains(
        #"aria-label="net: 2 changes, from 2026-02-01 00:00 UTC to 2026-02-01 00:00 UTC, lowest 2026-02-01 00:00 UTC, highest 2026-03-01 00:00 UTC"><path d="M0 88.0H"#
      ))
    // Another key has one entry only, and so has no history.
    #expect(!page.get("/v/p/s/\(rows[3].id)").text.contains("id=\"history\""))
  }

  @Test(
    "times and numbers are charted, those that moved most first; a missing value is a gap, text is not charted"
  )
  func fields() throws {
    let page = PageFixture(.log)
    let rows = [
      try entry(
        "a", at: 1,
        #"[{"path": "/n", "before": 1, "after": null}, {"path": "/s", "before": "x", "after": "y"}]"#),
      try entry(
        "a", at: 2,
        #"[{"path": "/n", "before": null, "after": 3}, {"path": "/t", "before": 1, "after": "x"}]"#),
      try entry(
        "a", at: 3,
        #"[{"path": "/m", "before": 0, "after": 1}, {"path": "/gone", "before": null, "after": null}]"#),
    ]
    page.view.publish(rows.map { .set($0) }, commit: 1)
    let history = try #require(KeyHistory(of: rows[0], in: page.view.snapshot, page.view.form))
    expect(history.steps.map(\.path), equals: ["/n", "/m"])
    let field = history.steps[0]
    #expect(
      field.first.number == 1 && field.steps.map(\.to.number) == [nil, 3] && field.steps.map(\.at) == [1, 2])
    #expect(field.range?.low.text == "1" && field.range?.high.text == "3")
    let html = RowFragments(page.view, units: nil, hasPictures: false, now: 5).history(history).string
    #expect(
      html.contains(#"<path d="M0 88.0H4.8M33.6 12.0H120.0"></path><path class="one" d="M33.6 12.0h.01">"#))
  }

  @Test("the last two pictures of a page stand side by side, and are served while they are there")
  func screenshots() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "flow-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let page = PageFixture(.log)
    let rows = try (1...4).map { number in
      // The third has the picture of the second.
      let picture = [UInt8(number == 3 ? 2 : number)]
      let path = folder.appending(path: KeptPicture.name(of: picture)).path
      try Data(picture).write(to: URL(fileURLWithPath: path))
      let key = Value.array([.string("a"), .string("changed"), .number(number)])
      let content = Value.record([
        ("title", .string("a")), ("time", .number(number)),
        ("screenshot", .string(number == 4 ? "/etc/passwd" : path)),
      ])
      return PageRow(key: key, commit: 1, changedAt: Double(number), content: content)
    }
    page.view.publish(rows.prefix(3).map { .set($0) }, commit: 1)
    let text = page.get("/v/p/s/\(rows[0].id)").text
    let before = try #require(text.range(of: "src=\"/v/p/s/\(rows[0].id)/screenshot\""))
    let after = try #require(text.range(of: "src=\"/v/p/s/\(rows[2].id)/screenshot\""))
    #expect(before.lowerBound < after.lowerBound && text.contains("<figcaption>Before, "))
    #expect(!text.contains("\(rows[1].id)/screenshot") && !text.contains(folder.path))
    page.view.publish([.set(rows[3])], commit: 2)
    let answer = page.router().answer(
      PageRequest(path: "/v/p/s/\(rows[2].id)/screenshot", headers: ["host": "127.0.0.1:8787"]))
    expect(answer.status, equals: 200)
    expect(answer.header("Content-Type"), equals: "image/png")
    expect(page.get("/v/p/s/\(rows[3].id)/screenshot").status, equals: 404)
    try FileManager.default.removeItem(at: folder)
    expect(page.get("/v/p/s/\(rows[2].id)/screenshot").status, equals: 404)
  }

  @Test("a change that knows the picture before it needs no other entry")
  func firstChange() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "flow-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let paths = try [UInt8(1), 2].map { number in
      let path = folder.appending(path: KeptPicture.name(of: [number])).path
      try Data([number]).write(to: URL(fileURLWithPath: path))
      return path
    }
    let page = PageFixture(.log)
    let row = PageRow(
      key: .array([.string("a"), .string("changed"), .number(1)]), commit: 1, changedAt: 1,
      content: .record([
        ("title", .string("a")), ("time", .number(1)), ("screenshot", .string(paths[1])),
        ("screenshot_before", .string(paths[0])),
      ]))
    page.view.publish([.set(row)], commit: 1)
    let text = page.get("/v/p/s/\(row.id)").text
    let before = try #require(text.range(of: "src=\"/v/p/s/\(row.id)/screenshot_before\""))
    let after = try #require(text.range(of: "src=\"/v/p/s/\(row.id)/screenshot\""))
    #expect(before.lowerBound < after.lowerBound && text.contains("<figcaption>Before</figcaption>"))
    expect(page.get("/v/p/s/\(row.id)/screenshot_before").status, equals: 200)
  }

  @Test("a row that its sink gives a key has no history, nor has one of another layout")
  func none() throws {
    let row = try entry("a", at: 1, "[]")
    let page = PageFixture(.list)
    page.view.publish([.set(row), .set(try entry("a", at: 2, "[]"))], commit: 1)
    expectNil(KeyHistory(of: row, in: page.view.snapshot, page.view.form))
    let keyed = PageFixture(.log)
    keyed.show(1, try PageFixture.row("a", "{}"), try PageFixture.row("b", "{}"))
    expectNil(KeyHistory(of: try PageFixture.row("a", "{}"), in: keyed.view.snapshot, keyed.view.form))
  }

  @Test("a tab on an entry gets the history when another entry about its key arrives")
  func live() throws {
    let page = PageFixture(.log)
    let first = try entry("a", at: 1, slip("1", "2"))
    page.view.publish([.set(first)], commit: 1)
    var tab = page.updates(since: "a-1", row: first.id)
    _ = tab.next()
    page.view.publish([.set(try entry("a", at: 2, slip("2", "3"), commit: 2))], commit: 2)
    let update = String(decoding: tab.next(), as: UTF8.self)
    #expect(update.contains(#""order":["r-\#(first.id)","history"],"rows":{"history":"#))
  }
}
