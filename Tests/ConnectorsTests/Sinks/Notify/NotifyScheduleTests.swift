import Expectations
@testable import Connectors
import Engine
import Fetch
import JSON
import Language
import TestSupport
import Testing
import Trials

import System

@Suite("Hours of notifications", .timeLimit(.minutes(30))) struct NotifyScheduleTests {
  private let asked = Journal<TransferOrder>()

  private func schedule(_ quiet: String?, _ digest: String?, _ zone: String = "UTC") throws -> NotifySchedule
  {
    NotifySchedule(
      quiet: try quiet.map { try QuietHours($0) }, digest: try digest.map { try DigestTimes($0) },
      zone: try #require(SystemZone(zone)))
  }

  @Test(
    "when a notification is held, and until when",
    arguments: [
      ("22:00-07:00", nil, "UTC", "2026-03-01T23:30:00Z", "2026-03-02T07:00:00Z"),
      ("22:00-07:00", nil, "UTC", "2026-03-02T06:59:59Z", "2026-03-02T07:00:00Z"),
      ("22:00-07:00", nil, "UTC", "2026-03-02T07:00:00Z", nil),
      ("12:00-13:30", nil, "Europe/Warsaw", "2026-07-01T10:00:00Z", "2026-07-01T11:30:00Z"),
      // The night in which the clocks go forward.
      ("22:00-07:00", nil, "Europe/Warsaw", "2026-03-28T23:00:00Z", "2026-03-29T05:00:00Z"),
      (nil, "daily at 8", "UTC", "2026-03-01T08:00:00Z", "2026-03-02T08:00:00Z"),
      (nil, "weekdays at 8:30", "UTC", "2026-02-27T09:00:00Z", "2026-03-02T08:30:00Z"),
      (nil, "weekly on monday at 8", "UTC", "2026-03-01T09:00:00Z", "2026-03-02T08:00:00Z"),
      ("22:00-07:00", "hourly", "UTC", "2026-03-01T21:30:00Z", "2026-03-02T07:00:00Z"),
    ] as [(String?, String?, String, String, String?)])
  func times(_ quiet: String?, _ digest: String?, _ zone: String, _ now: String, _ until: String?) throws {
    let hold = try schedule(quiet, digest, zone).heldUntil(at: try #require(parseTimestamp(now)))
    expect(hold.map { timestamp($0) }, equals: until)
  }

  // The time of a bench begins at 2026-01-01T00:00:00Z.
  private func bodies(
    _ options: String, polls: [[String]], for time: Duration, state: TemporaryState? = nil
  ) throws -> [String] {
    var bench = SinkBench.answering([.init("{}")], noting: asked)
    bench.afterwards = time
    bench.state = state
    let before = asked.entries.count
    let seen = try bench.run(
      #"s: { notify: { to: 'ntfy://h/t', title: '\(.t)', \#(options) } }"#, polls: polls)
    #expect(seen.log.allSatisfy { !$0.hasPrefix("s:") }, "\(seen.log)")
    return asked.entries.dropFirst(before).map { String(decoding: $0.body, as: UTF8.self) }
  }

  private let polls = (1...3).map { [#"{"t":"n\#($0)"}"#] }

  @Test("what comes in quiet hours is sent together at their end, a single one as it is")
  func quiet() throws {
    let quiet = "quiet: 23:00-00:01"
    #expect(try bodies(quiet, polls: polls, for: .seconds(50), state: try TemporaryState()).isEmpty)
    try expect(
      bodies(quiet, polls: polls, for: .seconds(100), state: try TemporaryState()),
      equals: [#"{"topic":"t","title":"3 notifications: p","message":"n1\nn2\nn3"}"#])
    try expect(
      bodies(quiet, polls: [polls[0]], for: .seconds(100), state: try TemporaryState()),
      equals: [#"{"topic":"t","title":"n1"}"#])
  }

  @Test("what is held is sent by a later run, or at the end of a run without state")
  func restart() throws {
    let state = try TemporaryState()
    #expect(try bodies("quiet: 23:00-00:01", polls: polls, for: .seconds(10), state: state).isEmpty)
    let later = try bodies("quiet: 23:00-00:01", polls: [[]], for: .seconds(200), state: state)
    expect(later, equals: [#"{"topic":"t","title":"3 notifications: p","message":"n1\nn2\nn3"}"#])
    try expect(bodies("quiet: 23:00-00:01", polls: polls, for: .seconds(10)).count, equals: 1)
  }

  @Test("a digest has the links of its notes")
  func links() throws {
    let options = #"link: 'https://a.test/\(.t)', "#
    let text = #"n1\nhttps://a.test/n1\nn2\nhttps://a.test/n2\nn3\nhttps://a.test/n3"#
    try expect(
      bodies(options + "digest: hourly", polls: polls, for: .seconds(4000)),
      equals: [#"{"topic":"t","title":"3 notifications: p","message":"\#(text)"}"#])
    let limited = try bodies(options + "at_most: 1 in 10m", polls: polls, for: .seconds(4000))
    expect(limited.count, equals: 2)
    expect(
      limited.last?.contains(#""message":"n2\nhttps://a.test/n2\nn3\nhttps://a.test/n3""#), equals: true,
      "\(limited)")
  }

  @Test("a digest has its own title and text, a template over the notes")
  func digest() throws {
    let options =
      #"body: b, digest: hourly, digest_title: '\(.count) today', digest_body: '\(.notes | map(.title + .body) | join(" "))'"#
    try expect(
      bodies(options, polls: polls, for: .seconds(3700), state: try TemporaryState()),
      equals: [#"{"topic":"t","title":"3 today","message":"n1b n2b n3b"}"#])
  }

  @Test(
    "times that cannot be meant are problems",
    arguments: [
      ("quiet: 22-25", "22:00-07:00"), ("quiet: 7:00-7:00", "22:00-07:00"), ("digest: daily", "daily at 8"),
      ("digest: weekly on someday at 8", "weekly on monday at 8"), ("digest_title: x", "no effect without"),
    ])
  func problems(_ option: String, _ message: String) {
    let problems = SinkBench.problems("s: { notify: { title: x, \(option) } }")
    #expect(problems.contains(message), "\(problems)")
  }
}
