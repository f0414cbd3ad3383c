import Foundation
import Loopback
import Testing

@testable import flow

/// Lists of which an address has a page, and streams: what `flow new --from` writes, and what a run makes of it.
@Suite struct FoundPagingTests {
  /// A list of 60 rows, the newest first; page by page as the parameter of the path says.
  private static func page(_ target: String, newest: Int) -> LoopbackServer.Step {
    let parts = target.dropFirst().components(separatedBy: "?")
    let query = parts.dropFirst().joined().components(separatedBy: "&")
    func number(_ name: String) -> Int? {
      query.first { $0.hasPrefix("\(name)=") }.flatMap { Int($0.dropFirst(name.count + 1)) }
    }
    var first = 0
    var beside = ""
    switch parts[0] {
    case "number":
      first = ((number("page") ?? 1) - 1) * 20
      beside = #""page":\#(number("page") ?? 1),"pages":3,"total":60"#
    case "offset":
      first = number("offset") ?? 0
      beside = #""offset":\#(first),"limit":20,"total":60"#
    case "cursor":
      first = number("cursor") ?? 0
      let next = first + 20 < 60 ? #""\#(first + 20)""# : "null"
      beside = #""count":60,"has_more":\#(first + 20 < 60),"next_cursor":\#(next)"#
    case "ignored": beside = #""count":60,"has_more":true"#
    case "once" where number("page") != nil: return .reply("no", status: "400 Bad Request")
    default: beside = #""count":60"#
    }
    let rows = (first..<min(first + 20, 60)).map {
      #"{"id":\#(newest - $0),"title":"issue \#(newest - $0)"}"#
    }
    return .reply(#"{\#(beside),"results":[\#(rows.joined(separator: ","))]}"#)
  }

  @Test(
    "the pages of a list are found, tried, and read by the pipeline",
    arguments: [
      (
        "number", "      page: page\n      total: .total\n",
        "the answer states 60 rows (.total) and has 20", "page=2 has other rows", 60
      ),
      (
        "offset", "      offset: offset\n      total: .total\n", "offset: offset", "offset=20 has other rows",
        60
      ),
      (
        "cursor", "      next: .next_cursor\n      cursor: cursor\n", "next: .next_cursor, cursor: cursor",
        "cursor=20 has other rows", 60
      ),
      (
        "ignored", "      limit: 20\n      total: .count\n", "page=2, has the same rows",
        "no row that is missing counts as removed", 20
      ),
      (
        "once", "      limit: 20\n      total: .count\n", "page=2, failed: ",
        "the answer states 60 rows (.count) and has 20", 20
      ),
    ])
  func pages(_ path: String, _ options: String, _ said: String, _ tried: String, _ count: Int) throws {
    let place = try Workplace()
    let mark = place["later"]
    let server = try LoopbackServer { request in
      [Self.page(request.target, newest: FileManager.default.fileExists(atPath: mark) ? 201 : 200)]
    }
    try server.serving {
      let made = try place.flow("new", "--from", "\(server.url)/\(path)", "-o", "p.yaml")
      #expect(made.status == 0 && place.text("p.yaml").contains(options), "\(made) \(place.text("p.yaml"))")
      #expect(made.errors.contains(said) && made.errors.contains(tried), "\(made)")
      #expect(try place.flow("check", "p.yaml").output == "1 pipeline, no errors\n")
      let first = try place.flow("run", "--once", "--state=s", "p.yaml")
      #expect(first.status == 0 && first.output.isEmpty, "\(first)")
      try place.write("later", "")
      let second = try place.flow("run", "--once", "--state=s", "--refresh", "p.yaml")
      // The last of the whole list is gone; of a part, one that is not seen any more may be on the next page.
      let removed = count == 60 ? "removed issue 141\n" : ""
      #expect(second.output == "added issue 201\n" + removed, "\(second)")
    }
  }

  @Test("a list that says it goes on, in a pipeline that does not read on, removes nothing")
  func unread() throws {
    let place = try Workplace()
    let mark = place["later"]
    let server = try LoopbackServer { _ in
      [Self.page("/ignored", newest: FileManager.default.fileExists(atPath: mark) ? 203 : 200)]
    }
    try server.serving {
      try place.write(
        "p.yaml",
        """
        sources: { in: { http: { url: '\(server.url)/x', rows: '.results[]' } } }
        steps: [ changes: { key: .id } ]
        sinks: { o: { console: '\\(.type) \\((.after // .before).title)' } }
        """)
      let first = try place.flow("run", "--once", "--state=s", "p.yaml")
      #expect(
        first.errors.contains(
          "the list goes on behind its 20 rows, as .has_more is true, and the rest is not read"),
        "\(first)")
      try place.write("later", "")
      let second = try place.flow("run", "--once", "--state=s", "--refresh", "p.yaml")
      #expect(
        second.output.split(separator: "\n").sorted() == [
          "added issue 201", "added issue 202", "added issue 203",
        ],
        "\(second)")
      let status = try place.flow("status", "--state=s", "p.yaml")
      #expect(
        status.output.contains("in: only the first 20 rows are read, as .has_more is true: "), "\(status)")
    }
  }

  @Test("server-sent events are a stream, also where they have no end, and do not come")
  func events() throws {
    let server = try LoopbackServer { request in
      let head = ["Content-Type: text/event-stream; charset=utf-8"]
      return request.target == "/quiet"
        ? [.text("HTTP/1.1 200 OK\r\n\(head[0])\r\n\r\n"), .pause(milliseconds: 30_000)]
        : [.reply("event: tick\ndata: {\"n\":1}\n\n", head)]
    }
    try server.serving {
      let place = try Workplace()
      let start = Date()
      for path in ["quiet", "ending"] {
        let made = try place.flow("new", "--from", "\(server.url)/\(path)", "--force", "-o", "p.yaml")
        #expect(made.status == 0 && made.errors.contains("/\(path): server-sent events\n"), "\(made)")
        let text = place.text("p.yaml")
        #expect(text.contains("      stream: sse\nsinks:") && !text.contains("every"), "\(text)")
        #expect(try place.flow("check", "p.yaml").output == "1 pipeline, no errors\n")
      }
      #expect(Date().timeIntervalSince(start) < 30)
      let run = try place.flow("run", "--once", "p.yaml")
      #expect(run.output.hasPrefix("tick {\"n\":1}\n"), "\(run)")
    }
  }
}
