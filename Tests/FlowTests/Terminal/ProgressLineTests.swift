import Expectations
import Engine
import Language
import Reactive
import Testing

@testable import flow

@Suite struct ProgressLineTests {
  let clock = VirtualScheduler()
  private let drawn = Drawn()
  let line: ProgressLine

  init() {
    let screen = Screen(isTerminal: true, hasColors: false, size: { (80, 24) }) { [drawn] bytes in
      drawn.texts.withLock { $0.append(String(decoding: bytes, as: UTF8.self)) }
    }
    line = ProgressLine(on: screen, { [clock] in clock }) { [clock] in Double(clock.now.nanoseconds) / 1e9 }
  }

  private final class Drawn: Sendable {
    let texts = Locked<[String]>([])
  }

  private var count: Int { drawn.texts.withLock { $0.count } }
  private var last: String { drawn.texts.withLock { $0.last ?? "" } }

  @Test("what is over at once is not drawn; what takes its time is, and goes with the poll")
  func appears() {
    line.show("upcoming", PollProgress("asking a"))
    clock.advance(by: .milliseconds(100))
    line.show("upcoming", nil)
    clock.advance(by: .seconds(5))
    expect(count, equals: 0)
    line.show("upcoming", PollProgress("200 of 338 launches"))
    clock.advance(by: .milliseconds(200))
    #expect(count == 1 && last.contains("upcoming: 200 of 338 launches\r\n"))
    line.show("upcoming", nil)
    #expect(count == 2 && !last.contains("upcoming") && last.contains("\u{1B}[J"))
    clock.advance(by: .seconds(60))
    expect(count, equals: 2)
  }

  @Test("it is drawn at most ten times a second, and ends with the latest progress")
  func pace() {
    for number in 1...1000 {
      line.show("a", PollProgress("\(number) rows"))
      clock.advance(by: .milliseconds(1))
    }
    #expect(count > 3 && count <= 10)
    clock.advance(by: .seconds(1))
    #expect(last.contains("a: 1000 rows"))
  }

  @Test("a wait counts down, and what there was before it stands again when it is over")
  func waiting() {
    line.show("a", PollProgress("2 of 5", wait: "waiting for the budget of x, next call", until: 90))
    clock.advance(by: .seconds(1))
    #expect(last.contains("a: waiting for the budget of x, next call in 90 s"))
    clock.advance(by: .seconds(29))
    #expect(last.contains("in 61 s"))
    clock.advance(by: .seconds(100))
    #expect(last.contains("a: 2 of 5\r\n"))
    let before = count
    clock.advance(by: .seconds(100))
    expect(count, equals: before)
  }

  @Test("pipelines are followed each second, behind the polls that take their time, until the end")
  func following() {
    var source = SourceStatus(name: "a", kind: "http", isPolled: true)
    source.lastPoll = SourceStatus.Poll(at: 0, rows: 3, coverage: "complete", isStale: false)
    source.nextPoll = 10
    var pipeline = PipelineStatus(name: "p", path: "", phase: .running, started: 0)
    pipeline.sources = [source]
    line.follow { [pipeline] in [pipeline] }
    clock.advance(by: .milliseconds(900))
    expect(count, equals: 0)
    clock.advance(by: .milliseconds(100))
    #expect(last.contains("3 rows · polled 1 s ago · next in 9 s · 0 outputs\r\n"))
    clock.advance(by: .seconds(4))
    #expect(count == 5 && last.contains("polled 5 s ago · next in 5 s"))
    // A poll that is over at once changes nothing.
    line.show("b", PollProgress("asking b"))
    line.show("b", nil)
    expect(count, equals: 5)
    line.show("b", PollProgress("asking b"))
    clock.advance(by: .milliseconds(200))
    #expect(last.contains("b: asking b · 3 rows"))
    line.end()
    let before = count
    #expect(last.hasSuffix("\u{1B}[J\u{1B}[?2026l"))
    clock.advance(by: .seconds(60))
    expect(count, equals: before)
  }

  @Test(
    "several polls share the line, in the order in which they began; nothing of them is a control character")
  func several() {
    line.show("a", PollProgress("1 row\u{1B}[2J"))
    line.show("b", PollProgress("2 rows"))
    line.show("a", PollProgress("3 rows\u{1B}[2J"))
    clock.advance(by: .seconds(1))
    #expect(last.contains("b: 2 rows") && last.contains("a: 3 rows") && !last.contains("\u{1B}[2J"))
    line.end()
    #expect(last.contains("\u{1B}[J"))
    let before = count
    line.show("a", PollProgress("4 rows"))
    clock.advance(by: .seconds(1))
    expect(count, equals: before)
  }
}
