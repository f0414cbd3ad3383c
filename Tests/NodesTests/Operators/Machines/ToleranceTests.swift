import Expectations
import JSON
import Testing

@testable import Nodes

@Suite struct ToleranceTests {
  @Test("a tolerance is a duration, a percentage or a number")
  func text() {
    expect(Tolerance("10m"), equals: .seconds(600))
    expect(Tolerance("1%"), equals: .share(0.01))
    expect(Tolerance("0.5%"), equals: .share(0.005))
    expect(Tolerance("5"), equals: .amount(5))
    for wrong in ["", "0", "-1", "%", "-1%", "nan", "inf%", "0s", "ten"] {
      expectNil(Tolerance(wrong), "\(wrong)")
    }
  }

  @Test("a time is a text or a number of seconds")
  func times() throws {
    let tolerance = try #require(Tolerance("10m"))
    #expect(tolerance.covers("2026-01-01T00:00:00Z", "2026-01-01T01:09:59+01:00"))
    #expect(!tolerance.covers("2026-01-01T00:00:00Z", "2026-01-01T00:10:00Z"))
    #expect(tolerance.covers(.number(1000), .number(401)) && !tolerance.covers(.number(1000), .number(400)))
  }

  @Test("a percentage is of the value before")
  func share() throws {
    let tolerance = try #require(Tolerance("1%"))
    #expect(tolerance.covers(.number(200), .number(201)) && !tolerance.covers(.number(200), .number(202)))
    #expect(tolerance.covers(.number(-200), .number(-201)) && !tolerance.covers(.number(0), .number(0.001)))
  }

  @Test("a difference that equals the tolerance is a change, whatever its binary fractions")
  func decimals() throws {
    let tenth = try #require(Tolerance("0.1")), percent = try #require(Tolerance("10%"))
    for step in -99...99 {
      let (before, after) = (Double(step) / 10, Double(step + 1) / 10)
      #expect(!tenth.covers(.number(before), .number(after)), "\(before) → \(after)")
      #expect(!tenth.covers(.number(after), .number(before)), "\(after) → \(before)")
      #expect(tenth.covers(.number(before), .number(Double(step * 100 + 9) / 1000)), "\(before)")
      if step != 0 {
        #expect(!percent.covers(.number(before), .number(Double(step * 11) / 100)), "\(before)")
        #expect(percent.covers(.number(before), .number(Double(step * 109) / 1000)), "\(before)")
      }
    }
  }

  @Test("a value that comes, goes or has another type is never tolerated")
  func types() throws {
    for tolerance in ["10m", "1%", "5"].compactMap({ Tolerance($0) }) {
      #expect(!tolerance.covers(nil, .number(1)) && !tolerance.covers(.number(1), nil))
      #expect(!tolerance.covers(.null, .number(1)) && !tolerance.covers(.number(1), "soon"))
    }
  }
}
