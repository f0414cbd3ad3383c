import Expectations
@testable import Connectors
import Reactive
import Testing

@Suite struct PublishWindowTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  /// What is published now.
  private func published(_ window: inout PublishWindow<String>, at time: Instant? = nil) -> [String] {
    var found: [String] = []
    window.publish(at: time ?? start) { number, message in
      found.append("\(number)\(message)")
      return true
    }
    return found
  }

  private func attempts(_ failed: (message: String, attempts: Int)?) -> Int? { failed?.attempts }

  private func window(_ messages: String, size: Int = 3) -> PublishWindow<String> {
    var window = PublishWindow<String>(size: size)
    for message in messages { window.append("\(message)") }
    return window
  }

  @Test("at most so many are on their way; the front is removed once all of it is done")
  func size() {
    var window = window("abcde")
    let found1 = published(&window)
    #expect(found1 == ["0a", "1b", "2c"] && window.unanswered == 3)
    window.acknowledge(1)
    let found2 = window.removeDone()
    let found3 = published(&window)
    #expect(found2 == nil && found3 == ["3d"])
    window.acknowledge(0)
    let found4 = window.removeDone()
    #expect(found4 == "b" && window.count == 3)
    for number in 2...4 as ClosedRange<UInt64> { window.acknowledge(number) }
    let found5 = window.removeDone()
    #expect(found5 == "e" && window.isEmpty && window.unanswered == 0)
    window.append("f")
    let found6 = published(&window)
    expect(found6, equals: ["5f"])
  }

  @Test("a stream that is not available is probed with one message, whose answer ends the pause")
  func probe() {
    var window = window("abcde")
    func published(after milliseconds: Int) -> [String] {
      self.published(&window, at: start + .milliseconds(milliseconds))
    }
    expect(published(after: 0), equals: ["0a", "1b", "2c"])
    window.acknowledge(0)
    _ = window.fail(1)
    _ = window.fail(2)
    window.pause(until: start + .seconds(60), at: start, isUnavailable: true)
    #expect(published(after: 249) == [] && window.nextProbe == start + .milliseconds(250))
    #expect(published(after: 250) == ["1b"] && published(after: 600) == [])
    // A probe that fails is no attempt; the next is due already.
    let isProbe = window.failProbe(1)
    #expect(isProbe && published(after: 600) == ["1b"])
    let isOther = window.failProbe(2)
    #expect(!isOther && published(after: 1000) == [])
    window.acknowledge(1)
    #expect(published(after: 1001) == ["2c", "3d", "4e"] && window.nextProbe == nil)
    let failed = window.fail(2)
    expect(failed?.attempts, equals: 2)
    // What has not failed may be for another stream.
    window.discard(2)
    window.releaseAll()
    window.pause(until: start + .seconds(60), at: start + .seconds(1), isUnavailable: true)
    expect(published(after: 2000), equals: [])
    // A full stream needs time, and no probes.
    _ = window.fail(3)
    window.pause(until: start + .seconds(60), at: start + .seconds(2), isUnavailable: false)
    #expect(published(after: 3000) == [] && published(after: 60_000) == ["3d", "4e"])
  }

  @Test("one that has failed is published again first, under its number, and after the pause")
  func retry() {
    var window = window("abcde")
    let found1 = published(&window)
    expect(found1.count, equals: 3)
    window.acknowledge(0)
    let failed = window.fail(1)
    #expect(failed?.message == "b" && failed?.attempts == 1)
    window.pause(until: start + .seconds(1), at: start, isUnavailable: false)
    let found2 = published(&window)
    #expect(found2.isEmpty)
    // A new connection is a reason not to wait.
    var other = window
    other.resume()
    let resumed = published(&other)
    expect(resumed, equals: ["1b", "3d"])
    let found3 = published(&window, at: start + .seconds(1))
    expect(found3, equals: ["1b", "3d"])
    let attempts1 = attempts(window.fail(1))
    expect(attempts1, equals: 2)
    window.discard(1)
    let attempts2 = attempts(window.fail(1))
    #expect(attempts2 == nil && window.unanswered == 2)
    let found4 = published(&window, at: start + .seconds(2))
    expect(found4, equals: ["4e"])
  }

  @Test("after a lost connection all without an answer are published again, in order, as no attempt")
  func lostConnection() {
    var window = window("abcde", size: 4)
    let found1 = published(&window)
    expect(found1.count, equals: 4)
    window.acknowledge(1)
    window.releaseAll()
    expect(window.unanswered, equals: 0)
    let found2 = published(&window)
    expect(found2, equals: ["0a", "2c", "3d", "4e"])
    let attempts1 = attempts(window.fail(2))
    expect(attempts1, equals: 1)
    // An answer to the first attempt counts.
    window.acknowledge(2)
    let found3 = published(&window)
    #expect(found3.isEmpty)
    let attempts2 = attempts(window.fail(2))
    expectNil(attempts2)
  }

  @Test("an answer that is late is noticed")
  func overdue() {
    var window = window("ab", size: 1)
    let found1 = published(&window)
    #expect(found1 == ["0a"] && window.overdue(before: start).isEmpty)
    expect(window.overdue(before: start + .nanoseconds(1)), equals: [0])
  }

  @Test("where publishing is not possible, nothing counts as published")
  func notPossible() {
    var window = window("abc")
    window.publish(at: start) { number, _ in number == 0 }
    expect(window.unanswered, equals: 1)
    let found1 = published(&window)
    expect(found1, equals: ["1b", "2c"])
  }

  @Test("for any answers in any order, each message ends exactly once, and none is forgotten")
  func anyOrder() {
    for seed in 1...5 as ClosedRange<UInt64> {
      var dice = SplitMix64(seed: seed)
      var window = PublishWindow<Int>(size: 16)
      var onWay: Set<UInt64> = []
      var (given, ended) = (0, 0)
      while ended < 1500 {
        if given < 1500 {
          for _ in 0..<Int.random(in: 0...5, using: &dice) where given < 1500 {
            window.append(given)
            given += 1
          }
        }
        window.publish(at: start) { number, message in
          expect(number, equals: UInt64(message))
          onWay.insert(number)
          return true
        }
        if let number = onWay.sorted().randomElement(using: &dice) {
          onWay.remove(number)
          switch Int.random(in: 0..<10, using: &dice) {
          case 0: _ = window.fail(number)
          case 1:
            window.releaseAll()
            onWay = []
          default:
            window.acknowledge(number)
            ended += 1
          }
        }
        _ = window.removeDone()
        #expect(window.unanswered == onWay.count && window.count >= given - ended)
      }
      #expect(window.isEmpty)
    }
  }

  @Test("what is left at the end is in order")
  func end() {
    var window = window("abcd")
    _ = published(&window)
    window.acknowledge(1)
    let found1 = window.removeAll()
    #expect(found1 == ["a", "c", "d"] && window.isEmpty)
  }
}
