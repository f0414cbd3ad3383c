import Expectations
import Testing

@testable import Nodes

@Suite struct LossGuardTests {
  private let half = LossGuard(share: 0.5, rows: 10)

  private func decision(_ missing: Int, of count: Int = 10, isWhole: Bool = true, isConfirming: Bool = false)
    -> LossGuard.Decision
  {
    half.decide(missing: missing, of: count, isWhole: isWhole, isConfirming: isConfirming)
  }

  @Test("more than the share of enough rows is a loss")
  func loss() {
    #expect(decision(5) == .accept && decision(6) == .hold && decision(10) == .hold)
    #expect(decision(9, of: 9) == .accept && decision(0, of: 0) == .accept)
    #expect(decision(5, of: 11) == .accept && decision(6, of: 11) == .hold)
  }

  @Test("the next loss is accepted")
  func confirming() {
    #expect(decision(6, isConfirming: true) == .accept && decision(5, isConfirming: true) == .accept)
  }

  @Test("a poll that is not whole neither holds nor confirms a loss")
  func notWhole() {
    expect(decision(6, isWhole: false), equals: .acceptKnown)
    expect(decision(6, isWhole: false, isConfirming: true), equals: .acceptKnown)
    expect(decision(5, isWhole: false), equals: .accept)
  }
}
