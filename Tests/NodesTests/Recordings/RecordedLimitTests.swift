import Expectations
import Testing

@testable import Nodes

@Suite struct RecordedLimitTests {
  @Test("nearly all polls are as long as the longest: the list was cut there")
  func cut() {
    expect(RecordedLimit.limit([10: 5]), equals: 10)
    expect(RecordedLimit.limit([10: 8, 9: 1, 0: 1]), equals: 10)
  }

  @Test("a list that becomes longer and shorter was read whole, and a few polls show nothing")
  func whole() {
    expectNil(RecordedLimit.limit([227: 3, 226: 4, 225: 2]))
    expectNil(RecordedLimit.limit([10: 9, 11: 1]))
    expectNil(RecordedLimit.limit([10: 4]))
    expectNil(RecordedLimit.limit([0: 50]))
    expectNil(RecordedLimit.limit([:]))
  }
}
