import Expectations
@testable import Delivery
import Fetch
import JSON
import Testing

import System

@Suite struct ThrottleReportTests {
  private func report(_ text: String) throws -> BudgetReport? {
    BudgetReport(throttle: try Value.parse(text))
  }

  @Test("what the service answers is a budget; that the next use lies in the past is only how it says so")
  func answers() throws {
    let spent = BudgetReport(limit: 15, remaining: 0, period: .seconds(3600), nextIn: .seconds(1631))
    for (next, list) in [("1631", false), ("-1631", false), ("1631", true)] {
      let text =
        #"{"your_request_limit":15,"limit_frequency_secs":3600,"current_use":15,"next_use_secs":\#(next),"ident":"::1"}"#
      try expect(report(list ? "[\(text)]" : text), equals: spent)
    }
    let fresh = try report(#"{"your_request_limit":210,"limit_frequency_secs":3600,"current_use":3}"#)
    expect(fresh, equals: BudgetReport(limit: 210, remaining: 207, period: .seconds(3600)))
  }

  @Test(
    "anything else is none",
    arguments: [
      "null", "[]", "{}", #"{"your_request_limit":"15","limit_frequency_secs":3600,"current_use":1}"#,
      #"{"your_request_limit":0,"limit_frequency_secs":3600,"current_use":1}"#,
      #"{"your_request_limit":15,"limit_frequency_secs":0,"current_use":1}"#,
    ])
  func others(_ text: String) throws { try expectNil(report(text)) }

  @Test("numbers beyond reason do no harm")
  func large() throws {
    let report = try report(
      #"{"your_request_limit":1e300,"limit_frequency_secs":60,"current_use":-1e300,"next_use_secs":-1e300}"#)
    #expect(report?.limit == 1_000_000_000 && report?.remaining == 1_000_000_000)
  }
}
