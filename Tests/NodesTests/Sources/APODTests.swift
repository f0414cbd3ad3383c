import Expectations
@testable import Nodes
import Fetch
import JSON
import Engine
import Language
import Testing
import Trials

import System

@Suite struct APODTests {
  /// What the service has from one day to another, both in March 2026.
  static func days(_ order: TransferOrder, failing bad: Int? = nil) -> Canned.Reply {
    func day(_ name: String) -> Int? {
      let text = order.address.query.first { $0.name == name }?.value
      return text.flatMap { $0.hasPrefix("2026-02") ? 0 : Int($0.suffix(2)) }
    }
    let range = (day("start_date") ?? 1)...max(day("start_date") ?? 1, day("end_date") ?? 5)
    if let bad, range.contains(bad) {
      return .init(#"{"code":500,"msg":"Internal Service Error"}"#, status: 500)
    }
    return .init("[" + range.map { #"{"date":"2026-03-0\#($0)"}"# }.joined(separator: ",") + "]")
  }

  /// The fifth of March 2026, at noon.
  static let now = 1_772_712_000.0

  private func dates(_ answer: PollAnswer) -> [String] {
    answer.rows.compactMap { $0.member("date")?.string.map { String($0.suffix(2)) } }
  }

  @Test("the last days are asked for up to whatever is there, the key kept to itself")
  func last() throws {
    let trial = try WebTrial("apod: { days: 3, thumbs: true, key: s3cret, url: 'http://a' }", at: Self.now) {
      Self.days($0)
    }
    expect(dates(try trial.poll()), equals: ["03", "04", "05"])
    expect(trial.paths, equals: ["planetary/apod?api_key=s3cret&thumbs=true&start_date=2026-03-03"])
    #expect("\(try #require(trial.asked.entries.first).address)".contains("api_key=***"))
  }

  @Test("a long range is asked for a month at a time")
  func months() throws {
    let trial = try WebTrial("apod: { from: 2026-01-01, until: 2026-02-10, url: 'http://a' }", at: Self.now) {
      _ in
      .init("[]")
    }
    #expect(try trial.poll().rows.isEmpty)
    expect(
      trial.paths.map { $0.suffix(41) },
      equals: [
        "start_date=2026-01-01&end_date=2026-01-30", "start_date=2026-01-31&end_date=2026-02-10",
      ])
  }

  @Test("a day that the service fails on costs only itself, is told, and removes nothing")
  func badDay() throws {
    let trial = try WebTrial("apod: { from: 2026-03-01, until: 2026-03-04, url: 'http://a' }", at: Self.now) {
      Self.days($0, failing: 3)
    }
    let answer = try trial.poll()
    #expect(dates(answer) == ["01", "02", "04"] && answer.coverage == .partial)
    expect(trial.told.entries.last, equals: "the service fails on 2026-03-03; left out")
  }

  @Test("that today is not there yet is no failure")
  func notYet() throws {
    for (status, body) in [
      (404, #"{"code":404,"msg":"No data available for date: 2026-03-05","service_version":"v1"}"#),
      (400, #"{"code":400,"msg":"Date must be between Jun 16, 1995 and Mar 04, 2026."}"#),
    ] {
      let trial = try WebTrial("apod: { days: 1, url: 'http://a' }", at: Self.now) { _ in
        .init(body, status: status)
      }
      let answer = try trial.poll()
      #expect(answer.rows.isEmpty && answer.coverage == .complete)
    }
  }

  @Test(
    "an error that is not the service's own fails the poll, and removes nothing",
    arguments: [
      (404, "<html><title>404 Not Found</title></html>"), (404, #"{"detail":"Not found."}"#),
      (404, "Not Found"),
      (404, ""), (404, #"{"code":404,"msg":"no such route"}"#), (404, #""No data available for date""#),
      (400, "Bad Request"), (400, #"{"code":400,"msg":"Bad Request: incorrect field passed."}"#),
    ])
  func foreign(_ status: Int, _ body: String) throws {
    let trial = try WebTrial("apod: { days: 1, url: 'http://a' }", at: Self.now) { _ in
      .init(body, status: status)
    }
    #expect(throws: FetchError.self) { try trial.poll() }
  }

  @Test("random days differ at each poll")
  func random() throws {
    let trial = try WebTrial("apod: { random: 2, url: 'http://a' }", at: Self.now) { _ in
      .init(#"[{"date":"x"}]"#)
    }
    for _ in 0..<2 { _ = try trial.poll() }
    #expect(trial.paths.count == 2 && trial.paths.allSatisfy { $0.hasSuffix("count=2") })
  }

  @Test(
    "a range has an order and an end",
    arguments: [
      "{ from: 2026-03-01, until: 2026-02-01 }", "{ from: 2025-01-01, until: 2026-01-01 }",
      "{ until: 2026-01-01 }",
      "{ days: 3, random: 3 }", "{ days: null, until: 2026-01-01 }",
    ])
  func checked(_ options: String) {
    #expect(throws: (any Error).self) {
      try Trial.plan("sources: { in: { apod: \(options) } }\nsteps: []\nsinks: { it: null }\n")
    }
  }

  @Test(
    "what is null is not said, so that variables can stand for all of it",
    arguments: ["{ days: null, from: 2026-01-01, random: null }", "{ days: 3, from: null, until: null }"])
  func absent(_ options: String) throws {
    _ = try Trial.plan("sources: { in: { apod: \(options) } }\nsteps: []\nsinks: { it: null }\n")
  }
}
