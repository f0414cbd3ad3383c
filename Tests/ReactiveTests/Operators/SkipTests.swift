import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct SkipTests {
  @Test func leavesOutTheFirstElements() throws {
    try expectMarbles("------c--d--|") { try $0.hot("a--b--c--d--|").skip(2) }
    expect(outcome { _ in Observable.from(1...4).skip(2) }, equals: "3, 4, |")
  }

  @Test func zeroOrLessLeavesOutNothing() throws {
    try expectMarbles("a-b|") { try $0.hot("a-b|").skip(0) }
    try expectMarbles("a-b|") { try $0.hot("a-b|").skip(-1) }
  }

  @Test func moreThanThereAreLeavesTheEnd() throws {
    try expectMarbles("---|") { try $0.hot("a-b|").skip(5) }
    try expectMarbles("--#") { try $0.hot("a-#").skip(5) }
  }

  @Test func eachSubscriptionCountsForItself() {
    let source = Observable.from(1...3).skip(2)
    expect(outcome { _ in source.concat(source) }, equals: "3, 3, |")
  }
}
