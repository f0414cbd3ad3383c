import Expectations
import AllNodes
@testable import Delivery
import Decode
import Fetch
import JSON
import Language
import Reactive
import System
import TestSupport
import Testing
import Trials

@testable import Engine

/// A source over a list: what it asks for, and that its rows have their entry.
@Suite("each")
struct EachTests {
  private static func plan(_ source: String, steps: String = "[changes: .id]") throws -> Plan {
    try Trial.plan("sources: { in: { \(source) } }\nsteps: \(steps)\nsinks: { it: null }\n")
  }

  /// The addresses that one poll of each entry asks for, in their order, and the messages.
  private func asked(
    _ source: String, position: Value? = nil, body: String = "[]"
  ) throws -> (addresses: [String], messages: [String]) {
    let (asked, messages) = (Journal<String>(), Journal<String>())
    var world = World.real
    world.wallClock = { 1_767_225_600 }
    world[WebAccess.self] = Canned.access { order in
      asked.note(
        order.address.text + order.headers.filter { $0.name == "X-City" }.map { " \($0.value)" }.joined()
          + (order.body.isEmpty ? "" : " \(String(decoding: order.body, as: UTF8.self))"))
      return .init(body)
    }
    let log = Log { entry in messages.note("\(entry.node): \(entry.message)") }
    let screen = Screen(isTerminal: false, hasColors: false, size: { (80, 24) }, write: { _ in })
    var options = RunOptions(world: world, log: log, screen: screen)
    options.isOnce = true
    let done = Locked(false)
    let run = try PipelineRun(try Self.plan(source), options) { _ in done.withLock { $0 = true } }
    run.start()
    #expect(eventually { done.withLock { $0 } })
    return (asked.entries.sorted(), messages.entries)
  }

  @Test("the address, the query, headers and the body are templates over the entry, encoded")
  func templates() throws {
    let values = try asked(#"http: { url: 'http://a/\(.)/x', each: [b, 'c d', 'e/f'] }"#)
    expect(values.addresses, equals: ["http://a/b/x", "http://a/c%20d/x", "http://a/e%2Ff/x"])
    let objects = try asked(
      #"""
      http: { url: 'http://a/\(.id)', query: { q: '\(.city)' }, headers: { X-City: '\(.city)' }, \#
      each: [{ id: 1, city: 'A&B' }, { id: 2, city: C }] }
      """#)
    expect(objects.addresses, equals: ["http://a/1?q=A%26B A&B", "http://a/2?q=C C"])
    let posted = try asked(
      #"http: { url: http://a/, method: post, body: { city: '\(.)', n: 1, all: [x, '\(.)!'] }, each: [b] }"#)
    expect(posted.addresses, equals: [#"http://a/ {"city":"b","n":1,"all":["x","b!"]}"#])
  }

  @Test(
    "a host comes from the entry only where hosts names it, or any may come",
    arguments: [
      (#"url: 'http://\(.)/x', any_host: true"#, "a", ["http://a/x"], nil),
      (#"url: '\(.)', any_host: true"#, "http://a/x?y=1", ["http://a/x?y=1"], nil),
      (#"url: 'http://\(.)/x', hosts: [a, b]"#, "A", ["http://a/x"], nil),
      (
        #"url: 'http://\(.)/x', hosts: [b]"#, "a", [],
        "a: a is not among hosts; add it, or set any_host: true"
      ),
      (
        #"url: 'http://\(.)/x', any_host: true"#, "a/b", [],
        "a/b: “a/b” is no host: it has the character “/”"
      ),
      (
        #"url: 'http://\(.)/x', any_host: true"#, "u@a", [], "u@a: “u@a” is no host: it has the character “@”"
      ),
      (#"url: 'http://\(.).example.org/x', hosts: [a.example.org]"#, "a", ["http://a.example.org/x"], nil),
    ] as [(String, String, [String], String?)])
  func hosts(options: String, entry: String, addresses: [String], message: String?) throws {
    let outcome = try asked("http: { \(options), each: ['\(entry)'] }")
    expect(outcome.addresses, equals: addresses)
    if let message { #expect(outcome.messages.contains { $0.hasSuffix(message) }, "\(outcome.messages)") }
  }

  @Test("a host that data may choose, and options without a list, are problems of the file")
  func checks() throws {
    for (source, problem) in [
      (#"http: { url: 'http://\(.)/x', each: [a] }"#, "data may choose the host of this address"),
      (
        #"http: { url: 'http://a/x', any_host: true }"#,
        "any_host has no effect: the host is written out in url"
      ),
      (
        #"http: { url: '\(.)', each: [a], any_host: true, bearer: t }"#,
        "with any_host each entry may have the token or password sent to a host of its choice"
      ),
      (#"http: { url: 'http://a/x', concurrency: 2 }"#, "concurrency has no effect without each"),
      (#"http: { url: 'http://a/\(.)', each: [] }"#, "the list is empty"),
      (#"http: { url: 'http://a/\(.)', each: { key: .id } }"#, "nothing says where the list is"),
      (#"http: { url: 'http://a/\(.)', each: { from: other } }"#, "unknown source “other”"),
      (#"http: { url: 'http://a/\(.)', each: { from: in } }"#, "a source cannot be polled over its own rows"),
      (
        #"http: { url: 'http://a/\(.)', each: { from: b } } }, b: { exec: { command: [echo, '\(.)'], each: { from: in } }"#,
        "each of “in” and “b” waits for the rows of another: none is ever polled"
      ),
      (
        #"http: { url: 'http://a/\(.)', each: { from: f } }, every: 1s }, f: { file: x"#,
        "“f” is not polled, so it has no list of rows"
      ),
      (#"exec: { command: ['\(.)'], each: [a] }"#, "the program to run must not depend on data"),
      (#"exec: { command: [echo, '\(.)'], follow: true, each: [a] }"#, "each has no effect with follow"),
    ] {
      var reader = PipelineReader(catalog: .all)
      reader.read(
        path: "t.yaml", Array("sources: { in: { \(source) } }\nsteps: []\nsinks: { it: null }\n".utf8))
      #expect(reader.problems.sorted.contains { $0.message == problem }, "\(source): \(reader.problems)")
    }
  }

  @Test("without each a command is as it is written: a group of sed's is no expression")
  func plainCommands() throws {
    func rows(_ command: String) throws -> String {
      try WebTrial("exec: { command: \(command), decode: text }") { _ in .init("") }.rows()
    }
    try expect(rows(#"[sh, -c, 'echo abc | sed "s/\(a\)b/\1\1/"']"#), equals: #"["aac"]"#)
    try expect(rows(#"[printf, '%s\n', '\d+ \(.x)']"#), equals: #"["\\d+ \\(.x)"]"#)
    try expect(rows(#"[printf, '%s\n', '\($now | todate)']"#), equals: #"["2026-03-01T00:00:00Z"]"#)
  }

  @Test("$last is what the last poll noted, also one of an earlier run")
  func last() throws {
    let source =
      #"http: { url: http://a/x, query: { after: '\($last.note // "none")' }, note: '[$last.note, .[].id] | max' }"#
    let first = try WebTrial(source) { _ in .init(#"[{"id":3},{"id":5}]"#) }
    let answer = try first.poll()
    expect(answer.last?.description, equals: #"{"at":"2026-03-01T00:00:00Z","note":5}"#)
    _ = try first.poll()
    expect(first.paths, equals: ["x?after=none", "x?after=5"])
    let position = Value.record([("poll", .number(7)), ("last", try #require(answer.last))])
    let later = try WebTrial(source, position: position) { _ in .init("[]") }
    try expect(later.poll().last?.member("note"), equals: .number(5))
    expect(later.paths, equals: ["x?after=5"])
    let dated = try WebTrial(#"http: { url: http://a/x, query: { since: '\($last.at // "2026")' } }"#) { _ in
      .init("[]")
    }
    _ = try dated.poll()
    _ = try dated.poll()
    expect(dated.paths, equals: ["x?since=2026", "x?since=2026-03-01T00:00:00Z"])
  }

  @Test("a failed poll notes nothing")
  func failedNote() throws {
    let number = Locked(0)
    let trial = try WebTrial(#"http: { url: http://a/x, query: { n: '\($last.note // 0)' }, note: length }"#)
    { _ in
      number.withLock { $0 += 1 }
      return number.withLock { $0 } == 2 ? .init("{", status: 404) : .init("[1]")
    }
    _ = try trial.poll()
    #expect(throws: (any Error).self) { try trial.poll() }
    _ = try trial.poll()
    expect(trial.paths, equals: ["x?n=0", "x?n=1", "x?n=1"])
  }

  @Test(
    "a list of text has an entry on each line; one of a table an object for each row, known by its first column"
  )
  func files() throws {
    let folder = try TemporaryFolder()
    try folder.write("list.txt", "# shops\n\na\n  b\n")
    try folder.write("shops.csv", "id,city\n7,A\n8,B\n")
    try folder.write("list.jsonl", #"{"v":{"id":1}}"# + "\n")
    func ids(_ each: String) throws -> [Value] {
      let source = try Self.plan("http: { url: 'http://a/x', each: \(each) }").sources[0]
      let context = SourceContext(
        name: "in", world: .real, log: NodeLog(log: .silent, pipeline: "p", node: "in"),
        meter: Meter(name: "in", kind: "http"), isOnce: true, stop: StopSign(), position: nil,
        storesPositions: false)
      return try #require(try Entries(source.options, context).read()).map(\.id)
    }
    try expect(ids("{ file: \(folder["list.txt"]) }"), equals: ["a", "b"])
    try expect(ids("{ file: \(folder["shops.csv"]) }"), equals: ["7", "8"])
    try expect(ids("{ file: \(folder["shops.csv"]), key: .city }"), equals: ["A", "B"])
    try expect(ids("{ file: \(folder["list.jsonl"]), rows: .v, key: .id }"), equals: [.number(1)])
    try expect(ids("{ list: [a, b], rows: '., .' }").count, equals: 4)
    #expect(throws: (any Error).self) { try ids("{ file: \(folder["list.txt"]), key: .id? }") }
    #expect(throws: (any Error).self) { try ids("{ file: \(folder["missing"]) }") }
  }

  @Test("a file that changes counts when it is the same at two readings")
  func changingFile() throws {
    let folder = try TemporaryFolder()
    try folder.write("list.txt", "a\nb\n")
    let file = ListFile(folder["list.txt"], Decoding(.text))
    try expect(file.read(), equals: ["a", "b"])
    try expectNil(file.read())
    try folder.write("list.txt", "a\n")
    #expect(try file.read() == nil && file.rereading == .seconds(1))
    try folder.write("list.txt", "a\nb\nc\n")
    try expectNil(file.read())
    #expect(try file.read() == ["a", "b", "c"] && file.rereading == .seconds(10))
    try folder.write("list.txt", "a\n")
    try expectNil(file.read())
    try folder.write("list.txt", "a\nb\nc\n")
    #expect(try file.read() == nil && file.rereading == .seconds(10))
  }

  /// A run in virtual time of polls that are given with their entries.
  private func heard(_ steps: String, _ polls: [(at: Double, entry: String, rows: String, gone: String?)])
    throws
    -> [String]
  {
    var run = ScriptedRun(try Self.plan("http: 'http://a/x'", steps: steps), start: 0)
    run.scripts["in"] = try polls.map { poll in
      var notes = Value.record([("each", .string(poll.entry))])
      if let gone = poll.gone { notes.setMember("gone", .string(gone)) }
      return ScriptedAnswer(
        at: poll.at, .poll(try #require(Value.parse(poll.rows).items)), notes: notes)
    }
    return try run.run().heard["it"]?.compactMap { heard in
      heard.value.map { value in
        guard let type = value.member("type")?.string, let key = value.member("key") else {
          return "\(value)"
        }
        return "\(DurationText.format(heard.at)) \(type) \(key)"
      }
    } ?? []
  }

  @Test("changes compares each entry with itself, and its keys have the entry")
  func changes() throws {
    let heard = try heard(
      "[changes: .id]",
      [
        (0, "a", #"[{"id":1,"n":1},{"id":2,"n":1}]"#, nil), (1, "b", #"[{"id":1,"n":9}]"#, nil),
        (2, "a", #"[{"id":1,"n":2}]"#, nil), (3, "b", #"[{"id":1,"n":9},{"id":3}]"#, nil),
      ])
    expect(heard, equals: [#"2s changed ["a",1]"#, #"2s removed ["a",2]"#, #"3s added ["b",3]"#])
  }

  @Test(
    "the rows of an entry that has left are removed at once, or forgotten; when it returns it is compared with nothing"
  )
  func leaving() throws {
    for (gone, removed) in [("remove", [#"1s removed ["a",1]"#, #"1s removed ["a",2]"#]), ("forget", [])] {
      let heard = try heard(
        "[changes: { key: .id, removed_after: 3 }]",
        [
          (0, "a", #"[{"id":1},{"id":2}]"#, nil), (0, "b", #"[{"id":1}]"#, nil), (1, "a", "[]", gone),
          (2, "a", #"[{"id":1},{"id":2}]"#, nil), (3, "a", #"[{"id":1,"n":1},{"id":2}]"#, nil),
          (4, "b", #"[{"id":1}]"#, nil),
        ])
      expect(heard, equals: removed + [#"3s changed ["a",1]"#], "\(gone)")
    }
  }

  @Test(
    "steps that go by a key tell entries apart; without a key they do not",
    arguments: [
      ("[dedupe: .id]", [#"{"id":1}"#, #"{"id":1}"#]),
      ("[{ map: .id }, { dedupe: { key: . } }]", ["1", "1"]),
      ("[{ debounce: { for: 10s, key: .id } }]", [#"{"id":1}"#, #"{"id":1}"#]),
      ("[{ debounce: { for: 10s } }]", [#"{"id":1}"#]),
      ("[{ scan: { update: '. + 1', init: 0, key: .id } }]", ["1", "1"]),
      ("[{ distinct_until_changed: { value: .id, key: .id } }]", [#"{"id":1}"#, #"{"id":1}"#]),
      ("[{ alarm: { when: .id == 1, key: .id } }]", [#"0s raised ["a",1]"#, #"1s raised ["b",1]"#]),
      (
        "[{ changes: { key: .id, first: emit } }, { settle: { for: 10s } }]",
        [#"10s added ["a",1]"#, #"11s added ["b",1]"#]
      ),
    ])
  func keys(steps: String, expected: [String]) throws {
    try expect(
      heard(steps, [(0, "a", #"[{"id":1}]"#, nil), (1, "b", #"[{"id":1}]"#, nil)]), equals: expected)
  }

  @Test("a table of a single run has the rows of all entries, under one heading")
  func table() throws {
    let written = Journal<[UInt8]>()
    let done = Locked(false)
    let plan = try Trial.plan(
      #"sources: { in: { exec: { command: [echo, '{"n":"\(.)"}'], each: [a, b, c] } } }"#
        + "\nsteps: []\nsinks: { it: { console: { table: [.n] } } }\n")
    let screen = Screen(
      isTerminal: true, hasColors: false, size: { (80, 24) }, write: { written.note($0) })
    var options = RunOptions(world: .real, log: Log { _ in }, screen: screen)
    options.isOnce = true
    let run = try PipelineRun(plan, options) { _ in done.withLock { $0 = true } }
    run.start()
    #expect(eventually { done.withLock { $0 } })
    let lines = String(decoding: written.entries.joined(), as: UTF8.self).split(separator: "\n")
    #expect(lines.first == "n" && lines.dropFirst().sorted() == ["a", "b", "c"], "\(lines)")
  }

  @Test("below a partition entries are compared with themselves too")
  func partition() throws {
    let polls = (0..<4).flatMap { time in
      ["a", "b"].map { entry in
        let rows = (1...5).map { #"{"id":\#($0),"n":\#($0 == time ? time : 0)}"# }.joined(separator: ",")
        return (at: Double(time), entry: entry, rows: "[\(rows)]", gone: nil as String?)
      }
    }
    let plain = try heard("[changes: .id]", polls)
    let divided = try heard("[{ partition: { by: .id, into: 3 } }, { changes: .id }]", polls)
    #expect(plain.count == 10 && divided.sorted() == plain.sorted(), "\(plain), \(divided)")
  }

  @Test("a stored event of an entry is still known to be a row of it")
  func stored() throws {
    let poll = Poll(source: "in", number: 1, at: 0, notes: .record([("each", "a")]), rows: [.number(1)])
    let batch = SourceBatch([.number(1)], poll, endsPoll: true)
    expect(batch.poll.list, equals: #"in["a"]"#)
    let stored = Event(
      jsonValue: .record([
        ("value", .number(1)), ("row", .number(0)), ("source", "in"),
        ("at", .number(0)), ("notes", .record([("each", "a")])),
      ]))
    expect(stored?.entry, equals: "a")
    expect(
      stored.flatMap { Event(jsonValue: $0.jsonValue) }?.keyed(.number(2)).description, equals: #"["a",2]"#)
    expect(Event(.number(1), poll).keyed(.number(2)), equals: .number(2))
  }
}
