import Expectations
@testable import Connectors
import Foundation
import Language
import Loopback
import Reactive
import TestSupport
import Testing
import Trials

@testable import Engine

/// The source `redis`, on a server.
@Suite(
  "Entries and messages of Redis", .timeLimit(.minutes(30)),
  .enabled(if: RedisServer.isWanted, .init(rawValue: RedisServer.missing)))
struct RedisTests {
  private let server: RedisServer

  init() throws { server = try RedisServer() }

  private func reading(
    _ options: String, map: String = ".", once: Bool = false, server: RedisServer? = nil,
    isOpen: Bool = true, _ state: TemporaryState? = nil
  ) throws -> StreamTrial {
    let url = (server ?? self.server).url
    return try StreamTrial(
      "redis: { server: '\(url)', \(options) }", map: map, once: once, isOpen: isOpen, state)
  }

  private func isReading(_ trial: StreamTrial) {
    #expect(
      eventually { trial.log.entries.contains { $0.hasPrefix("reads ") } }, "\(trial.log.entries)")
  }

  private func add(_ numbers: ClosedRange<Int>, to stream: String = "s") throws {
    for number in numbers { try server.ask("XADD", stream, "\(number)-1", "data", "\(number)") }
  }

  @Test("an entry is the object of its fields, or the JSON of one of them, with its id where that is wanted")
  func values() throws {
    try server.ask("XADD", "s", "1700000000000-0", "a", "1", "b", "text")
    try server.ask("XADD", "s", "1700000000001-0", "a", #"{"n": 1.10}"#)
    try server.ask("XADD", "s", "1700000000002-0", "b", "2")
    try server.ask("XADD", "s", "1700000000003-0", "a", "not JSON")
    do {
      let trial = try reading("stream: s")
      trial.expect(#"{"a":"1","b":"text"}"#, #"{"a":"{\"n\": 1.10}"}"#, #"{"b":"2"}"#, #"{"a":"not JSON"}"#)
    }
    let trial = try reading("stream: s, field: a, envelope: true")
    trial.expect(
      #"{"id":"1700000000000-0","at":"2023-11-14T22:13:20Z","data":1}"#,
      #"{"id":"1700000000001-0","at":"2023-11-14T22:13:20.001Z","data":{"n":1.10}}"#,
      #"{"id":"1700000000003-0","at":"2023-11-14T22:13:20.003Z","data":"not JSON"}"#)
    let skipped = "the entry 1700000000002-0 is skipped: it has no field “a”"
    #expect(trial.log.entries.contains(skipped), "\(trial.log.entries)")
  }

  @Test("from the beginning, the end, an id or a time on")
  func start() throws {
    try add(1_700_000_000_000...1_700_000_000_003)
    for (from, first) in [
      ("beginning", 0), ("1700000000001-1", 2), ("2023-11-14T22:13:20.002Z", 2), ("end", 4),
    ] {
      let trial = try reading("stream: s, field: data, from: '\(from)'", once: true)
      let expected = (first..<4).map { "\(1_700_000_000_000 + $0)" }
      #expect(eventually { trial.heard.entries == expected }, "\(from): \(trial.heard.entries)")
    }
  }

  @Test(
    "with state each entry comes once, over stops and restarts of the server, more than one answer at a time")
  func resumed() throws {
    let state = try TemporaryState()
    for number in stride(from: 1, through: 2500, by: 500) {
      try server.ask(
        "EVAL",
        "for i = ARGV[1], ARGV[1] + 499 do redis.call('XADD', KEYS[1], i .. '-1', 'data', i) end return 1",
        "1",
        "s", "\(number)")
    }
    do {
      let trial = try reading("stream: s, field: data", state)
      #expect(eventually { trial.heard.entries.count == 2500 })
      // The server is killed under it, and comes again with all it had.
      server.stop()
      #expect(eventually { trial.run.outline().sources.first?.failure != nil })
      try server.start()
      try add(2501...2503)
      #expect(eventually { trial.heard.entries.count == 2503 }, "\(trial.log.entries)")
      expect(trial.heard.entries, equals: (1...2503).map { "\($0)" })
      #expect(trial.log.entries.contains { $0.hasPrefix("recovered, after ") }, "\(trial.log.entries)")
      trial.stop()
    }
    try add(2504...2505)
    let trial = try reading("stream: s, field: data", once: true, state)
    #expect(eventually { trial.heard.entries == ["2504", "2505"] }, "\(trial.heard.entries)")
    #expect(!trial.log.entries.contains { $0.contains("dropped") || $0.contains("lost") })
  }

  @Test(
    "what the stream has dropped unread is reported with its number, and a server that has lost all is read from its beginning"
  )
  func losses() throws {
    let state = try TemporaryState()
    try add(1...3)
    do {
      let trial = try reading("stream: s, field: data", state)
      trial.expect("1", "2", "3")
      trial.stop()
    }
    try add(4...9)
    try server.ask("XTRIM", "s", "MAXLEN", "2")
    do {
      let trial = try reading("stream: s, field: data", state)
      trial.expect("8", "9")
      let text = "the stream s has dropped 4 entries behind 3-1 before they were read"
      #expect(trial.log.entries.contains(text), "\(trial.log.entries)")
      server.stop()
      server.forget()
      try server.start()
      #expect(
        eventually {
          trial.log.entries.contains { $0.hasPrefix("the stream s is empty, and was read up to 9-1") }
        },
        "\(trial.log.entries)")
      try add(1...2)
      trial.expect("8", "9", "1", "2")
      trial.stop()
    }
  }

  @Test("a group's entries are acknowledged when they are committed, and come again otherwise")
  func group() throws {
    let state = try TemporaryState()
    try add(1...3)
    do {
      let trial = try reading("stream: s, field: data, group: g", isOpen: false, state)
      isReading(trial)
      #expect(eventually { (try? server.ask("XPENDING", "s", "g"))?.hasPrefix(":3") == true })
      server.stop()
      trial.gate.change { $0 = true }
      trial.stop()
    }
    try server.start()
    let trial = try reading("stream: s, field: data, group: g", state)
    #expect(eventually { trial.heard.entries == ["1", "2", "3"] }, "\(trial.heard.entries)")
    #expect(eventually { (try? server.ask("XPENDING", "s", "g"))?.hasPrefix(":0") == true })
    try add(4...4)
    trial.expect("1", "2", "3", "4")
  }

  @Test("messages of channels come as they are published, also behind a reconnect")
  func channels() throws {
    let trial = try reading("channel: ['a*', b], envelope: true")
    isReading(trial)
    try server.ask("PUBLISH", "abc", #"{"n":1}"#)
    try server.ask("PUBLISH", "c", "elsewhere")
    try server.ask("PUBLISH", "b", "text")
    trial.expect(#"{"channel":"abc","data":{"n":1}}"#, #"{"channel":"b","data":"text"}"#)
    server.stop()
    #expect(eventually { trial.run.outline().sources.first?.failure != nil })
    try server.start()
    #expect(
      eventually {
        let heard = try? server.ask("PUBLISH", "b", "again")
        return heard == ":1" || heard == ":2"
      })
    #expect(eventually { trial.heard.entries.last == #"{"channel":"b","data":"again"}"# })
  }

  @Test("a login, the other kind of key, or a database that there is not ends the source at the start")
  func refused() throws {
    let locked = try RedisServer(["--requirepass", "secret"])
    let login = try reading("stream: s", server: locked)
    #expect(
      eventually { login.log.entries.contains { $0.hasSuffix("NOAUTH Authentication required.") } },
      "\(login.log.entries)")
    let wrong = try reading("stream: s, password: wrong", server: locked)
    #expect(eventually { wrong.log.entries.contains { $0.contains("WRONGPASS") } }, "\(wrong.log.entries)")
    try server.ask("SET", "s", "1")
    let kind = try reading("stream: s")
    #expect(eventually { kind.log.entries.contains { $0.contains("WRONGTYPE") } }, "\(kind.log.entries)")
    let right = try reading("stream: s, password: secret, user: default", server: locked)
    isReading(right)
  }

  @Test("a server that freezes is noticed, and read again when it answers")
  func frozen() throws {
    let trial = try reading("channel: a")
    isReading(trial)
    server.signal(SIGSTOP)
    defer { server.signal(SIGCONT) }
    #expect(eventually { trial.run.outline().sources.first?.failure?.reason.contains("no answer") == true })
    server.signal(SIGCONT)
    #expect(
      eventually {
        _ = try? server.ask("PUBLISH", "a", "1")
        return trial.heard.entries.contains("1")
      })
  }
}
