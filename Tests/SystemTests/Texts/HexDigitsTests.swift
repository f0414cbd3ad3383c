import Expectations
import Testing

@testable import System

@Suite struct HexDigitsTests {
  @Test func bytesHaveTwoDigitsEach() {
    expect(hexDigits(of: [0, 9, 0x1f, 0xff]), equals: "00091fff")
    expect(hexDigits(of: []), equals: "")
  }

  @Test func numbersHaveSixteen() {
    expect(hexDigits(of: 0x0123_4567_89ab_cdef), equals: "0123456789abcdef")
    expect(hexDigits(of: 1 as UInt64), equals: "0000000000000001")
  }
}
