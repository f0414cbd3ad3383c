import Expectations
@testable import Delivery
import Engine
import Language
import Testing

import System

@Suite struct AtMostTests {
  @Test("a limit is a number and a duration")
  func right() throws {
    try expect(AtMost("3 in 1m30s"), equals: AtMost(3, in: .seconds(90)))
  }

  @Test(
    "errors are reported at their place",
    arguments: [
      ("3", 0..<1), ("3 per 10m", 0..<9), ("0 in 10m", 0..<1), ("x in 10m", 0..<1), ("3 in 10x", 7..<8),
      ("3 in 0s", 5..<7),
    ])
  func wrong(_ text: String, _ range: Range<Int>) {
    let flaw = #expect(throws: TextError.self) { try AtMost(text) }
    expect(flaw?.range, equals: range)
    #expect(flaw?.hint != nil)
  }
}
