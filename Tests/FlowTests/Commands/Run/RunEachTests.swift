import Expectations
import Foundation
import Glibc
import JSON
import Loopback
import Reactive
import TestScale
import TestSupport
import Testing

/// Sources over a list, in whole runs against a server on the loopback.
@Suite("Runs over a list", .timeLimit(.minutes(30)))
struct RunEachTests {
  /// Shops whose prices rise with every third request, until they are frozen; every twentieth shop fails.
  private final class Shops: Sendable {
    private let state = Locked<(requests: [Int: Int], isFrozen: Bool)>(([:], false))

    func freeze() { state.withLock { $0.isFrozen = true } }

    func price(_ shop: Int) -> Int { state.withLock { ($0.requests[shop] ?? 0) / 3 } }

    func answer(_ target: String) -> [LoopbackServer.Step] {
      let shop = Int(target.split(separator: "/").last ?? "") ?? 0
      if shop % 20 == 7 { return [.reply("", status: "404 Not Found")] }
      state.withLock { if !$0.isFrozen { $0.requests[shop, default: 0] += 1 } }
      return [.reply(#"[{"id":1,"price":\#(price(shop))},{"id":2,"price":5}]"#)]
    }
  }

  private static func pipeline(_ server: LoopbackServer, every: String = "1s", _ options: String = "")
    -> String
  {
    #"""
    name: shops
    sources:
      shops: { http: { url: '\#(server.url)/\(.)', each: { file: list.txt }, concurrency: 8\#(options) }, every: \#(every), retry: 0s }
    steps: [changes: { key: .id, first: emit }]
    sinks: { log: { jsonl: log.jsonl } }
    """#
  }

  private static func list(_ shops: some Sequence<Int>) -> String { shops.map { "\($0)\n" }.joined() }

  @Test("killed again and again: nothing is lost, nothing comes twice, and what fails fails alone")
  func kills() throws {
    let shops = Shops()
    let server = try LoopbackServer { shops.answer($0.target) }
    try server.serving {
      let place = try Workplace(Self.pipeline(server))
      try place.write("list.txt", Self.list(1...60))
      var random = SystemRandomNumberGenerator()
      for _ in 0..<TestScale.count(8) {
        let run = try place.start("--state=s")
        usleep(UInt32.random(in: 100_000...1_200_000, using: &random))
        run.send(SIGKILL)
        _ = try run.end()
      }
      shops.freeze()
      let last = try place.run("--state=s", "--once")
      expect(last.status, equals: 1, "three of the shops fail: \(last.errors)")
      try expect(place.flow("verify", "log.jsonl").status, equals: 0)
      var known: [String: JSON.Value] = [:]
      for line in place.lines("log.jsonl") {
        let change = try JSON.Value.parse(line)
        let key = try #require(change.member("key")).description
        expect(change.member("before"), equals: known[key] ?? .null, "\(line)")
        #expect(change.member("before") != change.member("after"), "\(line)")
        known[key] = change.member("after")
      }
      expect(known.count, equals: 57 * 2)
      for shop in 1...60 where shop % 20 != 7 {
        let row = known[#"["\#(shop)",1]"#]
        expect(row?.member("price"), equals: .number(shops.price(shop)), "shop \(shop)")
      }
    }
  }

  @Test("the list is read again; what left is removed, also while no run is there; status has one line")
  func list() throws {
    let shops = Shops()
    shops.freeze()
    let server = try LoopbackServer { shops.answer($0.target) }
    try server.serving {
      let place = try Workplace(Self.pipeline(server, every: "200ms"))
      try place.write("list.txt", Self.list([1, 2, 7]))
      let run = try place.start("--state=s")
      try run.wait(for: "the first rows") { place.lines("log.jsonl").count == 4 }
      try run.wait(for: "the failure") { run.errors.contains("shops[7]: error: GET") }
      let status = try place.flow("status", "--state=s", "shops").output
      #expect(status.contains("! shops: 2 of 3 entries up to date, 1 fails: 7: GET"), "\(status)")
      let json = try place.flow("status", "--state=s", "--json", "shops").output
      let entries = #""entries":{"total":3,"waiting":0,"stale":0,"failing":[{"entry":"7","since":"#
      #expect(json.contains(entries), "\(json)")
      try place.write("list.txt", Self.list([2, 3]))
      try run.wait(for: "the new list") { place.lines("log.jsonl").count == 8 }
      #expect(run.errors.contains("shops: 1 entry new in the list: 3\n"), "\(run.errors)")
      run.send(SIGTERM)
      _ = try run.end()
      try place.write("list.txt", Self.list([3]))
      let later = try place.run("--state=s", "--once")
      #expect(later.errors.contains("shops: 1 entry no longer in the list: 2\n"), "\(later.errors)")
      let lines = place.lines("log.jsonl").map { $0.prefix(31) }
      expect(
        Set(lines.suffix(2)),
        equals: [#"{"type":"removed","key":["2",1]"#, #"{"type":"removed","key":["2",2]"#])
    }
  }

  @Test(
    "a shop whose page is another one is named, with the row, in log, status and page, until it is read again"
  )
  func unreadable() throws {
    let price = Locked(#""82.28""#)
    let server = try LoopbackServer { request in
      let value = request.target.hasSuffix("fjord") ? price.withLock { $0 } : #""5""#
      return [.reply(#"{"item":"WM-9","price":\#(value)}"#)]
    }
    try server.serving {
      let place = try Workplace(
        #"""
        name: shops
        sources:
          shops:
            http: { url: '\#(server.url)/\(.)', each: { file: list.txt } }
            every: 300ms
            key: .item
        streams:
          priced: { from: shops, steps: [map: '{item, price: (.price | tonumber)}'] }
          trouble: { from: errors, steps: [map: '"\(.type) \(.node)[\(.entry)]: \(.message)"'] }
        sinks: { log: { from: priced, 'null': {} }, alarms: { from: trouble, jsonl: alarms.jsonl } }
        """#)
      try place.write("list.txt", "fjord\nharbour\n")
      let run = try place.start("--state=s")
      func status() -> (text: String, status: Int32?) {
        let outcome = try? place.flow("status", "--state=s", "shops")
        return (outcome?.output ?? "", outcome?.status)
      }
      try run.wait(for: "the first polls") { status().text.contains("2 of 2 entries up to date") }
      expect(status().status, equals: 0)
      price.withLock { $0 = "\"gone\"" }
      let reason = #"row 1 (WM-9): string ("gone") cannot be parsed as a number"#
      try run.wait(for: "the problem") {
        let (text, code) = status()
        return code == 1 && text.contains("! priced/map fails on 1 of 2 entries, for ")
          && text.contains(": fjord: \(reason)")
      }
      try run.wait(for: "two more polls") { status().text.contains("entries, for 3 polls: ") }
      #expect(run.errors.contains("priced/map[fjord]: error: "), "\(run.errors)")
      expect(run.errors.split(separator: "\n").count { $0.contains(reason) }, equals: 1, "\(run.errors)")
      price.withLock { $0 = #""199""# }
      try run.wait(for: "the end of the problem") { status().status == 0 }
      run.send(SIGTERM)
      let outcome = try run.end()
      #expect(
        outcome.errors.contains("priced/map[fjord]: no row fails any more, after "), "\(outcome.errors)")
      let alarms = place.lines("alarms.jsonl")
      expect(
        try alarms.first.map { try JSON.Value.parse($0) },
        equals: .string("failed priced/map[fjord]: \(reason)"))
      expect(alarms.count, equals: 2, "\(alarms)")
      expect(
        alarms.last?.hasPrefix("\"recovered priced/map[fjord]: recovered, after failing since "), equals: true
      )
    }
  }

  @Test("a recording has the entry of each poll, and a replay gives the same changes")
  func recording() throws {
    let shops = Shops()
    let server = try LoopbackServer { shops.answer($0.target) }
    try server.serving {
      let place = try Workplace(Self.pipeline(server))
      try place.write("list.txt", Self.list([1, 2]))
      for _ in 1...3 { try expect(place.run("--state=s", "--once", "--record", "rec").status, equals: 0) }
      expect(place.lines("rec/shops.jsonl").count, equals: 6)
      expect(place.lines("rec/shops.jsonl").filter { $0.contains(#""meta":{"each":"2"}"#) }.count, equals: 3)
      try expect(place.run("--replay", "rec").status, equals: 0)
      func changes(_ file: String) throws -> Set<String> {
        Set(
          try place.lines(file).map { line in
            let change = try JSON.Value.parse(line)
            return ["type", "key", "after"].map { "\(change.member($0) ?? .null)" }.joined(separator: " ")
          })
      }
      try expect(changes("out/replay/log.jsonl"), equals: changes("log.jsonl"))
    }
  }

  @Test("the failure of one entry is recorded and replayed as that entry's")
  func recordedFailure() throws {
    let server = try LoopbackServer { request in
      [request.target == "/b" ? .reply("", status: "404 Not Found") : .reply(#"[{"id":1}]"#)]
    }
    try server.serving {
      let place = try Workplace(
        """
        sources:
          shops: { http: { url: '\(server.url)/\\(.)', each: [a, b], cache: 0s }, every: 1h, retry: 0s }
        streams: { failures: { from: errors, steps: [map: .entry] } }
        sinks:
          rows: { 'null': {}, from: shops }
          wrong: { jsonl: wrong.jsonl, from: failures }
        """)
      _ = try place.run("--once", "--record", "rec")
      expect(place.lines("wrong.jsonl"), equals: [#""b""#])
      let failed = place.lines("rec/shops.jsonl").filter { $0.contains("error") }
      #expect(!failed.isEmpty && failed.allSatisfy { $0.contains(#""meta":{"each":"b"}"#) }, "\(failed)")
      try expect(place.run("--replay", "rec").status, equals: 0)
      expect(place.lines("out/replay/wrong.jsonl"), equals: [#""b""#])
    }
  }

  @Test("the rows of another source are the list; a source that gives none fails the run")
  func rows() throws {
    let server = try LoopbackServer { received in
      received.target == "/names"
        ? [.reply(#"[{"name":"a"},{"name":"b"}]"#)]
        : received.target == "/none"
          ? [.reply("", status: "404 Not Found")]
          : [.reply(#"[{"id":"\#(received.target)"}]"#)]
    }
    try server.serving {
      for (path, status) in [("names", Int32(0)), ("none", 1)] {
        let place = try Workplace(
          #"""
          name: p
          sources:
            names: { http: '\#(server.url)/\#(path)' }
            items: { http: { url: '\#(server.url)/items/\(.name)', each: { from: names } } }
          sinks: { log: { console: '\($meta.entry) \(.id)' } }
          """#)
        let outcome = try place.run("--once", "--no-state")
        expect(outcome.status, equals: status, "\(outcome.errors)")
        let lines = outcome.output.split(separator: "\n").sorted()
        expect(lines, equals: (status == 0 ? ["a /items/a", "b /items/b"] : []), "\(outcome)")
        if status != 0 {
          #expect(
            outcome.errors.contains("items: error: the source names has ended without a poll"),
            "\(outcome.errors)")
        }
      }
    }
  }

  @Test("a command for each entry")
  func commands() throws {
    let place = try Workplace(
      #"""
      name: p
      sources: { sizes: { exec: { command: [echo, 'x\(.)'], each: [a, b], decode: text } } }
      sinks: { log: { console: '\($meta.each) \(.)' } }
      """#)
    let outcome = try place.run("--once", "--no-state")
    expect(outcome.status, equals: 0)
    expect(outcome.output.split(separator: "\n").sorted(), equals: ["a xa", "b xb"], "\(outcome)")
  }
}
