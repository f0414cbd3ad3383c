import Expectations
import JSON
import Testing

@testable import Page

@Suite("Live updates of pages")
struct PageUpdatesTests {
  /// The data of the last event in a text, and its id.
  private func event(_ bytes: [UInt8]) throws -> (name: String, id: String?, data: Value) {
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    func field(_ name: String) -> String? {
      lines.last { $0.hasPrefix("\(name): ") }.map { String($0.dropFirst(name.count + 2)) }
    }
    return (
      field("event") ?? "", field("id"), try Value.parse(Array((field("data") ?? "null").utf8))
    )
  }

  private func title(_ text: String, _ commit: Int) throws -> PageRow {
    try PageFixture.row(text, #"{"title": "\#(text)"}"#, commit: commit)
  }

  @Test("a tab gets the rows that it lacks and the order of all, once")
  func missed() throws {
    let page = PageFixture()
    page.show(1, try title("A", 1), try title("B", 1))
    var tab = page.updates(since: "a-1")
    try expect(event(tab.next()).name, equals: "poll")
    #expect(tab.next().isEmpty)
    page.show(2, try title("C", 2))
    page.view.publish([.remove(id: PageRow.id(of: "A"))], commit: 3)
    let update = try event(tab.next())
    #expect(update.name == "rows" && update.id == "a-3")
    let ids = ["B", "C"].map { "r-\(PageRow.id(of: .string($0)))" }
    expect(update.data.member("order"), equals: .array(ids.map { .string($0) }))
    expect(update.data.member("rows")?.keys.map(\.name), equals: [ids[1]])
    #expect(tab.next().isEmpty)
  }

  @Test("a tab that reconnects, also to another run, gets what it missed")
  func reconnecting() throws {
    let page = PageFixture()
    page.show(4, try title("A", 1), try title("B", 4))
    var tab = page.updates(since: "a-2")
    let update = try event(tab.next())
    #expect(update.name == "rows" && update.id == "a-4")
    // Its page is not known to this run, so that it gets all of it, each row with the commit that it is of.
    var html: [String] = []
    update.data.member("rows")?.forEachMember { _, value in html.append(value.string ?? "") }
    #expect(html.count == 2 && html.contains { $0.contains("data-c=\"1\"") && $0.contains(">A<") })
  }

  @Test("commits of another state, or of one that was reset, are not compared: the tab reloads")
  func otherState() throws {
    let page = PageFixture()
    page.show(4, try title("A", 4))
    for since in ["b-4", "a-5"] {
      var tab = page.updates(since: since)
      try expect(event(tab.next()).name, equals: "reload")
    }
    var tab = page.updates(since: "nonsense")
    try expect(event(tab.next()).name, equals: "rows")
  }

  @Test("a filtered tab gets its own rows alone")
  func filtered() throws {
    let page = PageFixture()
    var tab = page.updates(since: "a-0", [("q", "b")])
    _ = tab.next()
    page.show(1, try title("A", 1), try title("B", 1))
    let update = try event(tab.next())
    #expect(update.data.member("order")?.count == 1 && update.data.member("rows")?.count == 1)
    expect(update.data.member("summary")?.string?.contains("1 of 2"), equals: true)
  }

  @Test("the page of a row gets that row")
  func oneRow() throws {
    let page = PageFixture()
    page.show(1, try title("A", 1), try title("B", 1))
    var tab = page.updates(since: "a-1", row: PageRow.id(of: "A"))
    _ = tab.next()
    page.show(2, try title("B", 2))
    try expect(event(tab.next()).data.member("rows"), equals: .emptyObject)
    page.show(3, try PageFixture.row("A", #"{"title": "A2"}"#, commit: 3))
    let html = try event(tab.next()).data.member("rows")?.member("r-\(PageRow.id(of: "A"))")?.string
    expect(html?.contains("A2"), equals: true)
  }

  @Test("a poll without changes is an event without an id")
  func polls() throws {
    let page = PageFixture()
    var tab = page.updates(since: "a-0")
    _ = tab.next()
    page.view.notePoll(at: 1_767_225_590, staleness: nil)
    let update = try event(tab.next())
    #expect(update.name == "poll" && update.id == nil)
    expect(update.data.member("summary")?.string?.contains("10 s ago"), equals: true)
  }
}
