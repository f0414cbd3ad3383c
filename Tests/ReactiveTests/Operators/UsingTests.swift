import Expectations
import Reactive
import ReactiveTesting
import Testing

@Suite struct UsingTests {
  private func opening(_ log: Journal<String>, _ source: Observable<String>) -> Observable<String> {
    let numbers = Tally()
    return .using(
      { () -> Int in
        numbers.add()
        log.note("open \(numbers.value)")
        return numbers.value
      }, dispose: { log.note("close \($0)") }
    ) { _ in source }
  }

  @Test(arguments: ["a-|", "a-#"]) func closesAfterTheEnd(_ drawing: String) throws {
    let clock = VirtualScheduler()
    let log = Journal<String>()
    let source = opening(log, try clock.cold(drawing)).do(
      fail: { _ in log.note("fail") }, complete: { log.note("complete") })
    #expect(log.entries.isEmpty)
    for round in 1...2 {
      _ = clock.record(source)
      clock.run()
      expect(
        log.entries.suffix(3),
        equals: ["open \(round)", drawing == "a-|" ? "complete" : "fail", "close \(round)"])
    }
  }

  @Test func closesWhenDisposed() {
    let log = Journal<String>()
    let subscription = opening(log, .never()).subscribe()
    expect(log.entries, equals: ["open 1"])
    subscription.dispose()
    expect(log.entries, equals: ["open 1", "close 1"])
  }

  @Test func whatCannotBeOpenedFailsAndIsNotClosed() {
    let log = Journal<String>()
    let source = Observable<Int>.using({ () -> Int in throw Oops() }, dispose: { _ in log.note("close") }) {
      .just($0)
    }
    expect(outcome { _ in source }, equals: "#")
    #expect(log.entries.isEmpty)
  }

  @Test func aBodyThatThrowsFailsAndCloses() {
    let log = Journal<String>()
    let source = Observable<Int>.using({ 1 }, dispose: { log.note("close \($0)") }) { _ in throw Oops() }
    expect(outcome { _ in source }, equals: "#")
    expect(log.entries, equals: ["close 1"])
  }
}
