import Testing

@testable import Nodes

@Suite struct RecordedLimitTests {
  @Test("nearly all polls are as long as the longest: the list was cut there")
  func cut() {
    #expect(RecordedLimit.limit([10: 5]) == 10)
    #expect(RecordedLimit.limit([10: 8, 9: 1, 0: 1]) == 10)
  }

  @Test("a list that becomes longer and shorter was read whole, and a few polls show nothing")
  func whole() {
    #expect(RecordedLimit.limit([227: 3, 226: 4, 225: 2]) == nil)
    #expect(RecordedLimit.limit([10: 9, 11: 1]) == nil)
    #expect(RecordedLimit.limit([10: 4]) == nil)
    #expect(RecordedLimit.limit([0: 50]) == nil)
    #expect(RecordedLimit.limit([:]) == nil)
  }
}
