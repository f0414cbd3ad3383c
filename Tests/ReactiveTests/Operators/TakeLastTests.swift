import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct TakeLastTests {
  @Test func emitsTheLastElementsAtCompletion() throws {
    try expectMarbles("---------(bc|)") { try $0.hot("a--b--c--|").takeLast(2) }
    expect(outcome { _ in Observable.from(1...9).takeLast(2) }, equals: "8, 9, |")
  }

  @Test func fewerThanAskedForAreAllEmitted() throws {
    try expectMarbles("---(ab|)") { try $0.hot("a-b|").takeLast(5) }
    try expectMarbles("--|") { try $0.hot("--|").takeLast(5) }
  }

  @Test func zeroOrLessEmitsNone() throws {
    try expectMarbles("--|") { try $0.hot("ab|").takeLast(0) }
    try expectMarbles("--|") { try $0.hot("ab|").takeLast(-1) }
  }

  @Test func aFailureDropsThem() throws {
    try expectMarbles("--#") { try $0.hot("ab#").takeLast(2) }
  }

  @Test func disposedFromInsideOneItEmitsNoMore() throws {
    try expectMarbles("---(b|)") { try $0.hot("abc|").takeLast(2).take(1) }
  }
}
