import Expectations
@testable import Connectors
import Engine
import Foundation
import JSON
import Language
import TestSupport
import Testing
import Trials

import System

@Suite("feed", .timeLimit(.minutes(30))) struct FeedTests {
  private let folder = Folder()

  private func run(
    _ polls: [[String]], _ more: String = "", state: TemporaryState? = nil
  ) throws -> SinkBench.Seen {
    var bench = SinkBench()
    bench.state = state
    let options = #"path: '\#(folder.path)/f.atom', key: .id, title: '\(.t)'\#(more)"#
    return try bench.run("it: { feed: { \(options) } }", polls: polls)
  }

  private func feed() throws -> String { contents(of: "\(folder.path)/f.atom") }

  private func entries(_ text: String) -> [String] {
    text.split(separator: "\n").filter { $0.hasPrefix("    <title>") || $0.hasPrefix("    <id>") }
      .map { $0.split { "<>".contains($0) }[2] }.map(String.init)
  }

  @Test("entries are the newest first, an event with a known key replaces its entry, ids never change")
  func order() throws {
    let state = try TemporaryState()
    _ = try run([[#"{"id":1,"t":"a"}"#, #"{"id":2,"t":"b"}"#], [#"{"id":1,"t":"c"}"#]], state: state)
    let first = entries(try feed())
    #expect(first.count == 4 && first[1] == "c" && first[3] == "b")
    _ = try run([[#"{"id":3,"t":"d"}"#], [#"{"id":3,"t":"d"}"#]], state: state)
    expect(entries(try feed()), equals: [entries(try feed())[0], "d"] + first)
  }

  @Test("an entry of the last run is replaced, and a repeated one keeps its place")
  func stored() throws {
    let state = try TemporaryState()
    _ = try run([[#"{"id":1,"t":"a"}"#, #"{"id":2,"t":"b"}"#, #"{"id":3,"t":"c"}"#]], state: state)
    let ids = entries(try feed())
    _ = try run([[#"{"id":2,"t":"b"}"#, #"{"id":1,"t":"d"}"#], [#"{"id":1,"t":"d"}"#]], state: state)
    expect(entries(try feed()), equals: [ids[4], "d", ids[0], "c", ids[2], "b"])
  }

  @Test("there are at most max_entries, and characters that XML cannot hold are replaced")
  func bounds() throws {
    let rows = (1...5).map { #"{"id":\#($0),"t":"<\#($0)>\u0000&\u001b"}"# }
    _ = try run([rows], ", max_entries: 2")
    try expect(feed().components(separatedBy: "<entry>").count, equals: 3)
    #expect(
      try feed().contains("<title>&lt;5&gt;\\u0000&amp;")
        || feed().contains("<title>&lt;5&gt;\u{fffd}&amp;\u{fffd}<"))
  }

  @Test("a file that says the same is not written again")
  func atRest() throws {
    let state = try TemporaryState()
    _ = try run([[#"{"id":1,"t":"a"}"#]], state: state)
    let before = try #require(SystemDisk().status(of: "\(folder.path)/f.atom")).identity
    _ = try run([[#"{"id":1,"t":"a"}"#]], state: state)
    expect(SystemDisk().status(of: "\(folder.path)/f.atom")?.identity, equals: before)
  }

  @Test(
    "Python's feedparser finds nothing wrong with it",
    .enabled(if: Python.has("feedparser"), "python3 -m pip install feedparser, for this test"))
  func independent() throws {
    let more =
      #", url: 'https://a.org/f.atom', home: 'https://a.org/', name: 'A & B', body: '<b>\(.t)</b>', link: '\(.l)', tags: ['x y', ''], updated: .at"#
    _ = try run(
      [
        [
          #"{"id":1,"t":"ż & <i>","l":"https://a.org/?a=1&b","at":"2026-03-01T12:00:00Z"}"#,
          #"{"id":2,"t":"b","l":null}"#,
        ]
      ],
      more)
    let script = """
      import feedparser, sys
      f = feedparser.parse(sys.argv[1])
      print(f.bozo, f.version, f.feed.title, f.feed.author, [l.rel + ' ' + l.href for l in f.feed.links], f.feed.id[:9])
      for e in f.entries:
        print(e.title, e.content[0].type, e.content[0].value, e.updated, [l.href for l in e.get('links', [])], [t.term for t in e.tags], e.id[:9])
      """
    let answer = Python.run(script, "\(folder.path)/f.atom")
    expect(
      answer.text,
      equals: """
        False atom10 A & B flow ['self https://a.org/f.atom', 'alternate https://a.org/'] urn:uuid:
        b text/plain <b>b</b> 2026-01-01T00:00:00Z [] ['x y'] urn:uuid:
        ż & <i> text/plain <b>ż & <i></b> 2026-03-01T12:00:00Z ['https://a.org/?a=1&b'] ['x y'] urn:uuid:

        """, "\(answer.text)")
  }
}
