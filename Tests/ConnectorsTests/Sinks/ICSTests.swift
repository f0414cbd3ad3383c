import Expectations
@testable import Connectors
import TestSupport
import Foundation
import JSON
import Engine
import Language
import Reactive
import Store
import Testing
import Trials

import System

@Suite(.timeLimit(.minutes(30))) struct ICSTests {
  private let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private var path: String { folder["c.ics"] }

  private static let options = """
    key: .id, start: .at, end: .end, summary: '\\(.name)', description: '\\(.text // "")', \
    all_day: .days, removed: .gone, status: .status, geo: .geo, url: '\\(.url // "")', updated: .updated
    """

  private func run(
    _ polls: [[String]], _ more: String = "", state: TemporaryState? = nil, disk: (any Disk)? = nil
  ) throws -> SinkBench.Seen {
    var bench = SinkBench()
    bench.state = state
    bench.disk = disk
    return try bench.run("cal: { ics: { path: \(path), \(Self.options)\(more) } }", polls: polls)
  }

  private func calendar() throws -> CalendarChecker.Component {
    try CalendarChecker.read(try folder.bytes("c.ics"))
  }

  /// The properties of the events, as `UID SEQUENCE SUMMARY STATUS`.
  private func events() throws -> [String] {
    try calendar().components.map { event in
      ["UID", "SEQUENCE", "SUMMARY", "STATUS"].compactMap { event[$0] }.joined(separator: " ")
    }
  }

  private func row(_ id: String, _ name: String = "x", _ more: String = "") -> String {
    #"{"id":"\#(id)","name":"\#(name)","at":"2026-03-01T12:00:00Z"\#(more)}"#
  }

  @Test("after three periods without a good poll it says that it may be out of date, until the next one")
  func old() throws {
    let failed = [SinkBench.failedPoll]
    for (polls, isOld) in [
      ([[row("a")], failed, failed], false), ([[row("a")], failed, failed, failed, failed], true),
      ([[row("a")], failed, failed, failed, failed, [row("a")]], false),
    ] {
      for state in [nil, try TemporaryState()] {
        _ = try run(polls, state: state)
        let calendar = try calendar()
        expect(
          calendar["X-WR-CALDESC"]?.hasPrefix("May be out of date: ") ?? false, equals: isOld, "\(polls)")
        try expect(events(), equals: ["a@p 0 x"])
        try FileManager.default.removeItem(atPath: path)
      }
    }
  }

  @Test("an event has the given fields, in UTC, with the time of its poll")
  func whole() throws {
    let more =
      #","end":"2026-03-01T15:30:00.9+02:00","text":"a;b, c\\d\nnext","geo":{"lat":"-1.25","lon":0.0000004},"#
      + #""status":"Tentative","url":"https://a.org/x y?é""#
    let seen = try run([[row("a", "Ż", more)]], ", alarms: [1d, 90m], name: 'My, calendar'")
    #expect(seen.log.filter { $0.hasPrefix("cal") }.isEmpty && seen.text.isEmpty)
    let calendar = try calendar()
    #expect(calendar["X-WR-CALNAME"] == #"My\, calendar"# && calendar["METHOD"] == nil)
    let event = try #require(calendar.components.first)
    let expected = [
      "UID": "a@p", "DTSTAMP": "20260101T000000Z", "LAST-MODIFIED": "20260101T000000Z", "SEQUENCE": "0",
      "DTSTART": "20260301T120000Z", "DTEND": "20260301T133000Z", "SUMMARY": "Ż", "GEO": "-1.25;0.0",
      "STATUS": "TENTATIVE", "URL": "https://a.org/x%20y?%C3%A9", "DESCRIPTION": #"a\;b\, c\\d\nnext"#,
    ]
    for (name, value) in expected { expect(event[name], equals: value, "\(name)") }
    expect(event.properties.count, equals: expected.count)
    expect(event.components.map { $0["TRIGGER"] }, equals: ["-P1D", "-PT1H30M"])
  }

  @Test(
    "whole days end with the day behind the last",
    arguments: [
      (#""2026-03-01""#, "null", "20260301", "20260302"),
      (#""2026-02-28""#, #""2026-03-02""#, "20260228", "20260302"),
      (#""2026-12-31T10:00:00Z""#, #""2026-12-31T11:00:00Z""#, "20261231", "20270101"),
      (#""2026-12-31T10:00:00Z""#, #""2027-01-01T00:00:01Z""#, "20261231", "20270102"),
    ])
  func days(_ start: String, _ end: String, _ first: String, _ behind: String) throws {
    _ = try run([[#"{"id":1,"name":"x","at":\#(start),"end":\#(end),"days":true}"#]])
    let event = try #require(try calendar().components.first)
    expect(
      event.all("DTSTART"), equals: [.init(name: "DTSTART", parameters: ["VALUE": "DATE"], value: first)])
    expect(event.all("DTEND"), equals: [.init(name: "DTEND", parameters: ["VALUE": "DATE"], value: behind)])
  }

  @Test("an event of the year 9999 has that year, and its last day no end")
  func lastDay() throws {
    _ = try run([
      [
        #"{"id":1,"name":"x","at":"9999-12-31T23:59:59Z"}"#,
        #"{"id":2,"name":"y","at":"9999-12-31","days":true}"#,
      ]
    ])
    let events = try calendar().components
    expect(events.map { $0["DTSTART"] }, equals: ["99991231", "99991231T235959Z"])
    #expect(events.allSatisfy { $0["DTEND"] == nil })
  }

  @Test(
    "a change raises the sequence, the same leaves the file alone, over restarts too",
    arguments: [false, true])
  func changes(_ isKept: Bool) throws {
    let state = isKept ? try TemporaryState() : nil
    _ = try run([[row("a"), row("b")]], state: state)
    try expect(events(), equals: ["a@p 0 x", "b@p 0 x"])
    let before = (try folder.bytes("c.ics"), FileIdentity(at: path))
    _ = try run([[row("b"), row("a")], [row("a")]], state: state)
    #expect(try folder.bytes("c.ics") == before.0 && FileIdentity(at: path) == before.1)
    _ = try run([[row("a", "y")], [row("a", "y")], [row("a", "x")]], state: state)
    try expect(events(), equals: ["a@p 2 x", "b@p 0 x"])
    let event = try #require(try calendar().components.first)
    #expect(event["LAST-MODIFIED"] == "20260101T000002Z" && event["DTSTAMP"] == event["LAST-MODIFIED"])
    expect(folder.names, equals: ["c.ics"])
  }

  @Test("what is removed is cancelled, stays for a while, and may come back")
  func removed() throws {
    let gone = #"{"id":"a","gone":true}"#
    _ = try run([[row("a"), row("b")], [gone, #"{"id":"zz","gone":true}"#], [gone]], ", alarms: [1h]")
    try expect(events(), equals: ["a@p 1 x CANCELLED", "b@p 0 x"])
    #expect(try calendar().components[0].components.isEmpty)
    _ = try run([[row("a")]], ", alarms: [1h]")
    try expect(events(), equals: ["a@p 2 x", "b@p 0 x"])
    // The runs are in January, the events in March: a time long ago is over.
    let old = #"{"id":"old","name":"o","at":"2025-11-01T00:00:00Z"}"#
    _ = try run([[old], [#"{"id":"old","gone":true}"#]])
    try expect(events(), equals: ["a@p 2 x", "b@p 0 x"])
  }

  @Test("programs are asked to read the file again, an hour later by default")
  func refresh() throws {
    for (option, interval) in [("", "PT1H"), (", refresh: 6h", "PT6H")] {
      _ = try run([[row(interval)]], option)
      let calendar = try calendar()
      #expect(calendar["REFRESH-INTERVAL"] == interval && calendar["X-PUBLISHED-TTL"] == interval)
      expect(calendar.all("REFRESH-INTERVAL").first?.parameters, equals: ["VALUE": "DURATION"])
    }
  }

  @Test("an event of whole days has no alarms, and gets them when its time is known")
  func daysWithoutAlarms() throws {
    _ = try run([[row("a", "x", #","days":true"#)]], ", alarms: [1d, 1h]")
    #expect(try calendar().components[0].components.isEmpty)
    _ = try run([[row("a")]], ", alarms: [1d, 1h]")
    try expect(calendar().components[0].components.count, equals: 2)
  }

  @Test("the file is written once for all the news of a poll")
  func oncePerPoll() throws {
    let disk = WatchedDisk()
    let polls = (0..<5).map { poll in (0..<40).map { row("\($0)", "name \(poll)") } }
    _ = try run(polls, state: try TemporaryState(), disk: disk)
    expect(disk.count("rename"), equals: 5)
  }

  @Test(
    "with state, a sequence never decreases: not when the event was dropped, nor when the file was deleted")
  func keptSequences() throws {
    let state = try TemporaryState()
    _ = try run([[row("a")], [row("a", "y")], [row("a", "z")]], state: state)
    try FileManager.default.removeItem(atPath: path)
    _ = try run([[row("a", "z")]], state: state)
    try expect(events(), equals: ["a@p 3 z"])
    // Cancelled after its end, it is dropped at once.
    let old = #"{"id":"old","name":"o","at":"2025-11-01T00:00:00Z"}"#
    _ = try run([[old], [#"{"id":"old","gone":true}"#]], state: state)
    try expect(events(), equals: ["a@p 3 z"])
    _ = try run([[old]], state: state)
    try expect(events(), equals: ["old@p 1 o", "a@p 3 z"])
    // Killed between its write and the next commit, and the file gone.
    try keep(["1", "2"], in: state)
    try FileManager.default.removeItem(atPath: path)
    _ = try run([], state: state)
    try expect(events(), equals: ["a@p 5 2"])
  }

  @Test("sequences of events that have left the file are forgotten at their bound, and those in it never")
  func boundedSequences() throws {
    let state = try TemporaryState()
    // Long past, so that each is dropped when it is cancelled.
    let polls = (0..<9).flatMap { number in
      [
        [#"{"id":"\#(number)","name":"o","at":"2025-11-01T00:00:00Z"}"#],
        [#"{"id":"\#(number)","gone":true}"#],
      ]
    }
    _ = try run([[row("a")], [row("a", "y")]] + polls, ", max_events: 2", state: state)
    let known = try StateReader(path: state.path)
    try expect(known.tables().first { $0.node == "cal@sequences" }?.count, equals: 4)
    try FileManager.default.removeItem(atPath: path)
    _ = try run([[row("a", "y")]], ", max_events: 2", state: state)
    try expect(events(), equals: ["a@p 2 y"])
  }

  @Test("beyond the limit, the events that end last stay, and a warning is logged")
  func limit() throws {
    let rows = (1...5).map { #"{"id":\#($0),"name":"x","at":"2026-03-0\#($0)T00:00:00Z"}"# }
    let seen = try run([rows], ", max_events: 2")
    try expect(events(), equals: ["4@p 0 x", "5@p 0 x"])
    #expect(seen.log.contains { $0.contains("3 events are left out") })
  }

  @Test(
    "a file of another program is not touched",
    arguments: [
      "notes\n", "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//other//EN\r\nEND:VCALENDAR\r\n",
    ])
  func foreign(_ text: String) throws {
    try folder.write("c.ics", text)
    let error = #expect(throws: FileFailure.self) { try run([[row("a")]]) }
    expect(error?.description.contains("was written by another program"), equals: true)
    try expect(folder.text("c.ics"), equals: text)
  }

  @Test("lines that others have put into the file are passed over")
  func tolerant() throws {
    _ = try run([[row("a")]])
    let text = try folder.text("c.ics")
      .replacing("SEQUENCE:0\r\n", with: "SEQUENCE:4\r\nX-OTHER;A=\"b:c\":d\r\nCATEGORIES:x,\r\n y\r\n")
      .replacing("END:VCALENDAR", with: "BEGIN:VTODO\r\nUID:t\r\nEND:VTODO\r\nnonsense\r\nEND:VCALENDAR")
    try folder.write("c.ics", text)
    _ = try run([[row("a")]])
    try expect(folder.text("c.ics"), equals: text)
    _ = try run([[row("a", "y")]])
    try expect(events(), equals: ["a@p 5 y"])
  }

  @Test("an invalid value is an error of its event, and the others are written")
  func errors() throws {
    let bad = [
      #"{"id":null}"#, #"{"id":1,"name":"x","at":null}"#, #"{"id":1,"name":"x","at":"soon"}"#,
      #"{"id":1,"name":"x","at":10,"end":9}"#, row("q", "x", #","status":"late""#),
      row("q", "x", #","geo":[91,0]"#),
    ]
    let seen = try run([bad + [row("a")]])
    try expect(events(), equals: ["a@p 0 x"])
    #expect(seen.statistics.last?.errors == bad.count && seen.statistics.last?.eventsOut == 1)
  }

  @Test("a run that was killed behind its writing writes the same again, and no sequence is raised")
  func repeated() throws {
    let state = try TemporaryState()
    _ = try run([[row("a")]], state: state)
    // As a run leaves it that is killed before it marks what it has written.
    try keep(["y", "x", "z"], in: state)
    _ = try run([], state: state)
    try expect(events(), equals: ["a@p 3 z"])
    #expect(try StateReader(path: state.path).outbox(sink: "cal").isEmpty)
    let bytes = try folder.bytes("c.ics")
    try keep(["y", "x", "z"], in: state)
    _ = try run([], state: state)
    try expect(folder.bytes("c.ics"), equals: bytes)
    // The other events of that run are new.
    try keep(["y", "x", "z", "new"], in: state)
    _ = try run([], state: state)
    try expect(events(), equals: ["a@p 4 new"])
  }

  /// Puts news of one event into the outbox, each time under the same ids.
  private func keep(_ names: [String], in state: TemporaryState) throws {
    let file = try StateFile(path: state.path, .init(database: .init(sync: .never)))
    try file.update { epoch throws(StoreError) in
      for (index, name) in names.enumerated() {
        let news = CalendarNews(
          uid: "a@p", lines: ["DTSTART:20260301T120000Z", "SUMMARY:\(name)"], stamp: 1_767_225_700)
        try epoch.put(
          OutboxEntry(
            sink: "cal", place: .init(epoch: epoch.number, index: Int64(index)),
            id: "p/cal/life-\(index + 1)",
            bytes: CalendarEntry(news: [news], at: 1_767_225_700).stored))
      }
    }
  }

  @Test(
    "the name that a killed run may have given the file is made safe, where there is nothing to be written")
  func keptName() throws {
    _ = try run([[row("a")]])
    let disk = WatchedDisk()
    _ = try run([[row("a")]], disk: disk)
    #expect(disk.count("append") == 0 && disk.count("sync \(folder.path)") == 1)
  }

  @Test("a file that cannot be written waits, whole, and the next run brings it up to date")
  func unwritable() throws {
    let state = try TemporaryState()
    _ = try run([[row("a")]], state: state)
    let before = try folder.bytes("c.ics")
    let seen = try run([[row("a", "y")]], state: state, disk: WatchedDisk(room: 100))
    try expect(folder.bytes("c.ics"), equals: before)
    #expect(seen.hasFailed && seen.log.contains { $0.contains("No space left on device") }, "\(seen.log)")
    _ = try run([], state: state)
    try expect(events(), equals: ["a@p 1 y"])
    expect(folder.names, equals: ["c.ics"])
  }

  @Test("a dry run prints the changes, and reads and writes nothing")
  func dryRun() throws {
    var bench = SinkBench()
    bench.isDryRun = true
    let seen = try bench.run("cal: { ics: { path: \(path), \(Self.options) } }", polls: [[row("a")]])
    #expect(seen.text == "\(path): a@p DTSTART:20260301T120000Z SUMMARY:x\n" && folder.names.isEmpty)
  }

  @Test("long texts of all kinds come back as they were", arguments: 0..<20)
  func texts(_ seed: Int) throws {
    let alphabet = Array("aż€😀 \\;,\n:\"nN\u{301}")
    var dice = SplitMix64(seed: UInt64(seed))
    let text = String((0..<(seed * 37)).map { _ in alphabet.randomElement(using: &dice) ?? "x" })
    let name = Value.string(text).description
    _ = try run([[#"{"id":\#(name),"name":\#(name),"at":0,"text":\#(name)}"#]])
    let event = try #require(try calendar().components.first)
    expect(Array(CalendarChecker.plain(event["SUMMARY"] ?? "").utf8), equals: Array(text.utf8))
    expect(CalendarChecker.plain(event["UID"] ?? ""), equals: text + "@p")
    let before = try folder.bytes("c.ics")
    _ = try run([[#"{"id":\#(name),"name":\#(name),"at":0,"text":\#(name)}"#]])
    try expect(folder.bytes("c.ics"), equals: before)
  }

  @Test(
    "Python's icalendar reads it as it was meant",
    .enabled(
      if: Python.has("icalendar"), "python3 -m pip install icalendar, for this test"))
  func independent() throws {
    let more =
      #","end":"2026-03-01T15:30:00Z","text":"a;b, c\\d\n\#(String(repeating: "ż", count: 99))","geo":[1.5,-2]"#
    _ = try run(
      [
        [
          row("a", "Ż, 1", more),
          #"{"id":"d","name":"days","at":"2026-03-01","end":"2026-03-03","days":true}"#,
        ],
        [#"{"id":"d","gone":true}"#],
      ], ", alarms: [1h]")
    let script = """
      import icalendar, sys
      c = icalendar.Calendar.from_ical(open(sys.argv[1], 'rb').read())
      for e in c.walk('VEVENT'):
        print(e['UID'], e['SUMMARY'], e.decoded('DTSTART'), e.decoded('DTEND'), e['SEQUENCE'], e.get('STATUS'),
          len(e.get('DESCRIPTION') or ''), [str(a['TRIGGER'].dt) for a in e.walk('VALARM')])
      """
    let answer = Python.run(script, path)
    expect(
      answer.text,
      equals: """
        d@p days 2026-03-01 2026-03-03 1 CANCELLED 0 []
        a@p Ż, 1 2026-03-01 12:00:00+00:00 2026-03-01 15:30:00+00:00 0 None 108 ['-1 day, 23:00:00']

        """)
  }
}
