import Expectations
@testable import Connectors
@testable import Delivery
import Engine
import Language
import Reactive
import Testing

import System

@Suite struct NotifyWindowTests {
  @Test("as many as allowed are sent at once; later ones wait until the first of them is long enough ago")
  func waiting() {
    let window = Watched(AtMost(2, in: .seconds(10)))
    #expect(window.take("a", 0))
    #expect(window.take("b", 4))
    expectNil(window.due)
    #expect(!window.take("c", 5))
    expect(window.due, equals: 10)
    expectNil(window.digest(9))
    #expect(!window.take("d", 9))
    expect(window.digest(10), equals: .init(count: 2, body: "c\nd"))
    expectNil(window.digest(10))
    expectNil(window.due)
  }

  @Test("a digest counts as one notification")
  func digestCounts() {
    let window = Watched(AtMost(1, in: .seconds(10)))
    #expect(window.take("a", 0))
    #expect(!window.take("b", 1))
    #expect(window.digest(10) != nil)
    #expect(!window.take("c", 19))
    expect(window.due, equals: 20)
    expect(window.digest(20), equals: .init(count: 1, body: "c"))
  }

  @Test("in any period no more are sent than allowed, whatever arrives")
  func limit() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      let number = Int.random(in: 1...4, using: &random)
      let window = Watched(AtMost(number, in: .seconds(20)))
      var told: [Int] = []
      var events = 0
      var reported = 0
      for second in 0..<500 {
        if let digest = window.digest(second) {
          told.append(second)
          reported += digest.count
        }
        guard Int.random(in: 0..<3, using: &random) == 0 else { continue }
        events += 1
        if window.take("x", second) {
          told.append(second)
          reported += 1
        }
      }
      reported += window.digest(500, inAnyCase: true)?.count ?? 0
      expect(reported, equals: events)
      #expect(told.indices.dropFirst(number).allSatisfy { told[$0] - told[$0 - number] >= 20 })
    }
  }

  @Test("a digest has ten titles and counts the rest")
  func manyTitles() {
    let window = Watched(AtMost(1, in: .seconds(1)))
    #expect(window.take("first", 0))
    for number in 1...17 { #expect(!window.take("\(number)", 0)) }
    let lines = window.digest(0, inAnyCase: true)?.body.split(separator: "\n").map(String.init)
    expect(lines, equals: (1...10).map { "\($0)" } + ["… and 7 more"])
  }
}

/// A window whose times are seconds.
private final class Watched {
  private var window: NotifyWindow

  init(_ limit: AtMost) { window = NotifyWindow(limit) }

  func take(_ title: String, _ second: Int) -> Bool { window.take(title, at: Instant() + .seconds(second)) }

  func digest(_ second: Int, inAnyCase: Bool = false) -> NotifyWindow.Digest? {
    window.digest(at: Instant() + .seconds(second), inAnyCase: inAnyCase)
  }

  var due: Int? { window.due.map { Int($0.nanoseconds / 1_000_000_000) } }
}
