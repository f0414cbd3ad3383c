import Expectations
import Foundation
import Glibc
import JSON
import Loopback
import Reactive
import TestSupport
import Testing

/// A day of a list of shops, on which each of them fails in another way, as its user sees it.
@Suite("Outages of a list", .timeLimit(.minutes(30)))
struct RunOutagesTests {
  /// The ways in which a shop fails.
  private enum Fault: String, CaseIterable {
    case renamed, down, login, hangs, cut
  }

  private static let shops = Fault.allCases.map(\.rawValue) + (6...12).map { "shop\($0)" }

  private static func answer(_ target: String, _ isBad: Bool) -> [LoopbackServer.Step] {
    let name = String(target.dropFirst())
    let member = isBad && name == "renamed" ? "amount" : "price"
    let rest = isBad && name == "cut" ? #", "has_more": true"# : ""
    let good = LoopbackServer.Step.reply(#"{"items": [{"id": "\#(name)", "\#(member)": "5"}]\#(rest)}"#)
    switch isBad ? Fault(rawValue: name) : nil {
    case .down: return [.reply("", status: "503 Service Unavailable")]
    case .login:
      let form = #"<html><title>Sign in</title><form><input type="password"></form></html>"#
      return [.reply(form, ["Content-Type: text/html"])]
    case .hangs: return [.pause(milliseconds: 3000), .close]
    case .renamed, .cut, nil: return [good]
    }
  }

  private static func pipeline(_ server: LoopbackServer) -> String {
    #"""
    name: shops
    sources:
      shops:
        http: { url: '\#(server.url)/\(.)', rows: '.items[]', each: { file: list.txt }, timeout: 1s, concurrency: 12 }
        every: 1s
        retry: 0s
        key: .id
    streams:
      priced: { from: shops, steps: [map: '{id, price: (.price | tonumber)}'] }
    sinks:
      prices: { from: priced, page: { as: table, key: .id, title: '\(.id)', detail: { Price: .price }, per_page: 50 } }
      alarms: { from: errors, jsonl: alarms.jsonl }
    """#
  }

  @Test(
    "of twelve shops each that fails is named, with the reason and since when, in status, page and errors")
  func day() throws {
    let isBad = Locked(false)
    let server = try LoopbackServer { request in Self.answer(request.target, isBad.withLock { $0 }) }
    try server.serving {
      let place = try Workplace(Self.pipeline(server))
      try place.write("list.txt", Self.shops.map { "\($0)\n" }.joined())
      let port = try freePorts(1)[0]
      let run = try place.start("--state=s", "--page=127.0.0.1:\(port)")
      func status() -> (text: String, code: Int32?) {
        let outcome = try? place.flow("status", "--state=s", "shops")
        return (outcome?.output ?? "", outcome?.status)
      }
      func page(_ path: String) -> String {
        (try? place.shell("curl -s -w ' %{http_code}' http://127.0.0.1:\(port)/\(path)").output) ?? ""
      }
      try run.wait(for: "the first polls") { status().text.contains("12 of 12 entries up to date") }
      expect(status().code, equals: 0)
      #expect(page("readyz").hasSuffix(" 200"))

      isBad.withLock { $0 = true }
      try run.wait(for: "the problems") {
        let text = status().text
        return text.contains("9 of 12 entries up to date, 3 fail")
          && text.contains("priced/map fails on 1 of ")
      }
      let (text, code) = status()
      expect(code, equals: 1)
      for (shop, reason) in [("down", "503"), ("login", "HTML page"), ("hangs", "within 1 s")] {
        // A line of the table has the shop, for how long it fails, and why.
        let line = text.split(separator: "\n").first { $0.hasPrefix("    \(shop) ") } ?? ""
        #expect(line.contains(reason) && line.contains("s "), "\(shop): \(text)")
      }
      #expect(text.contains(": renamed: row 1 (renamed): null"), "\(text)")
      #expect(text.contains("shops: cut: "), "\(text)")
      let ready = page("readyz")
      #expect(ready.hasSuffix(" 503") && ready.contains("priced/map fails on 1 of 12 entries"), "\(ready)")
      try run.wait(for: "the marks") { page("v/shops/prices").ranges(of: " read <time").count == 4 }
      try run.wait(for: "the alarms") { place.lines("alarms.jsonl").count >= 4 }
      let failed = try alarms(place).filter { $0.type == "failed" }
      expect(
        failed.sorted { $0.entry < $1.entry }.map { "\($0.node) \($0.entry): \($0.kind)" },
        equals: [
          "shops down: status", "shops hangs: timeout", "shops login: login page",
          "priced/map renamed: lost rows",
        ])
      #expect(failed.allSatisfy { $0.since.hasSuffix("Z") })

      isBad.withLock { $0 = false }
      try run.wait(for: "the end of the problems") { status().code == 0 }
      #expect(page("readyz").hasSuffix(" 200"))
      try run.wait(for: "no mark") { page("v/shops/prices").ranges(of: " read <time").isEmpty }
      try run.wait(for: "the recoveries") {
        (try? alarms(place).count { $0.type == "recovered" }) == 4
      }
      let recovered = try alarms(place).filter { $0.type == "recovered" }
      expect(Set(recovered.map(\.entry)), equals: ["renamed", "down", "login", "hangs"])
      try run.wait(for: "the whole of each list") { !status().text.contains("shops: cut: ") }
      run.send(SIGTERM)
      _ = try run.end()
    }
  }

  @Test(
    "a row that a lookup fails on for two polls is lost, though the end of its poll has waited for the lookup"
  )
  func lookup() throws {
    let isBad = Locked(false)
    let server = try LoopbackServer { request in
      if request.target == "/list" { return [.reply(#"[{"id":"a"},{"id":"b"}]"#)] }
      let isWrong = isBad.withLock { $0 } && request.target == "/a"
      return [.reply(#"{"price": "\#(isWrong ? "none" : "5")"}"#)]
    }
    try server.serving {
      let place = try Workplace(
        #"""
        name: shops
        sources: { shops: { http: '\#(server.url)/list', every: 1s, retry: 0s, key: .id } }
        streams:
          priced:
            from: shops
            steps: [enrich: { url: '\#(server.url)/\(.id)', cache: 0s, with: '{id, price: ($answer.price | tonumber)}' }]
        sinks: { prices: { from: priced, jsonl: prices.jsonl }, alarms: { from: errors, jsonl: alarms.jsonl } }
        """#)
      let run = try place.start("--state=s")
      try run.wait(for: "good polls") { place.lines("prices.jsonl").count >= 4 }
      isBad.withLock { $0 = true }
      try run.wait(for: "the loss") { (try? alarms(place).last?.kind) == "lost rows" }
      #expect(try alarms(place).allSatisfy { $0.node == "priced/enrich" }, "\(place.lines("alarms.jsonl"))")
      run.send(SIGTERM)
      _ = try run.end()
    }
  }

  private struct Alarm {
    var type, node, entry, kind, since: String
  }

  private func alarms(_ place: Workplace) throws -> [Alarm] {
    try place.lines("alarms.jsonl").map { line in
      let event = try JSON.Value.parse(line)
      func text(_ name: String) -> String { event.member(name)?.string ?? "" }
      return Alarm(
        type: text("type"), node: text("node"), entry: text("entry"), kind: text("kind"),
        since: text("since"))
    }
  }
}
