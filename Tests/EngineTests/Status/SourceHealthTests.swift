import Expectations
import Reactive
import Testing

@testable import Engine
@testable import Language

/// What is logged about a source that fails.
@Suite struct SourceHealthTests {
  private struct Cut: Error, CustomStringConvertible { let description = "cut" }

  private func logged(isPolled: Bool, _ body: (SourceHealth) -> Void) -> [String] {
    let lines = Locked<[String]>([])
    let log = Log { entry in lines.withLock { $0.append(entry.message) } }
    let status = SourceStatus(name: "in", kind: "http", isPolled: isPolled)
    body(SourceHealth(status, NodeLog(log: log, pipeline: "p", node: "in")))
    return lines.withLock { $0 }
  }

  @Test("a connection that is made and lost again and again is reported at growing intervals")
  func flapping() {
    let lines = logged(isPolled: false) { health in
      for step in 0..<1000 {
        let time = Double(step * 3)
        health.note(Cut(), at: Instant(nanoseconds: Int64(time + 100) * 1_000_000_000), timeOfDay: time)
        health.noteConnection(at: time + 1)
      }
    }
    #expect(lines.count < 20, "\(lines)")
    #expect(
      lines.first == "cut" && lines.contains { $0.hasPrefix("recovered, after 1 failed attempt since ") })
    #expect(
      lines.contains { $0.hasPrefix("failing again and again, 21 failed attempts since ") }, "\(lines)")
  }

  @Test("one that lasts is a new failure when it is lost")
  func lasting() {
    let lines = logged(isPolled: false) { health in
      for time in [0.0, 1000, 2000] {
        health.note(Cut(), at: Instant(nanoseconds: Int64(time + 100) * 1_000_000_000), timeOfDay: time)
        health.noteConnection(at: time + 1)
      }
    }
    #expect(lines.filter { $0 == "cut" }.count == 3 && lines.count == 6, "\(lines)")
  }

  @Test("the next attempt is named, also where its time has come")
  func next() {
    let lines = [2.4, 0, -20_663].flatMap { seconds in
      logged(isPolled: true) { health in
        health.note(
          Cut(), at: Instant(nanoseconds: 1), timeOfDay: 0, next: .milliseconds(Int(seconds * 1000)))
      }
    }
    expect(lines, equals: ["cut; next try in 3s", "cut; next try now", "cut; next try now"])
  }

  @Test("a poll whose first attempt has timed out is a problem while it goes on")
  func secondAttempt() {
    _ = logged(isPolled: true) { health in
      func problems() -> [String] {
        var pipeline = PipelineStatus(name: "p", path: "", phase: .running, started: 0)
        pipeline.sources = [health.status]
        return pipeline.problems(.relative(to: 80))
      }
      health.note(PollAnswer([]), at: 10)
      health.noteAsking(since: 15)
      health.note(PollProgress("", wait: "waiting for the budget", until: 90))
      #expect(problems().isEmpty)
      health.note(PollProgress("", wait: "no response within 60 s, next try", until: 76, isRetry: true))
      expect(
        problems(),
        equals: [
          "in has had no answer for 1m 5s (no response within 60 s, next try), shown: the answer of 1m 10s ago"
        ])
      health.noteAsking(since: nil)
      health.note(nil)
      #expect(problems().isEmpty)
    }
  }

  @Test("while it waits for the next attempt it is not connected")
  func waiting() {
    _ = logged(isPolled: false) { health in
      health.noteConnection(at: 1)
      expect(health.status.connectedSince, equals: 1)
      health.note(PollProgress("", wait: "connecting again", until: 2))
      expectNil(health.status.connectedSince)
    }
  }
}
