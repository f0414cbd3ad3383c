import Expectations
@testable import Delivery
import Fetch
import JSON
import Engine
import Language
import Testing

import System

@Suite struct WebAccessTests {
  @Test("a config's budgets are one limit a host, or several")
  func budgets() throws {
    let config = try Value.parse(#"{"budgets":{"a.org":"1000 in 1h","b.org":["15 in 1h","50 in 1d"]}}"#)
    let budgets = try WebAccess.budgets(of: config)
    expect(budgets["a.org"], equals: SiteBudget([.init(1000, per: .seconds(3600))]))
    expect(
      budgets["b.org"]?.windows, equals: [.init(15, per: .seconds(3600)), .init(50, per: .seconds(86400))])
    #expect(try WebAccess.budgets(of: .emptyObject).isEmpty)
    #expect(throws: TextError.self) {
      try WebAccess.budgets(of: Value.parse(#"{"budgets":{"a.org":"many"}}"#))
    }
  }

  @Test("bytes are written as base64, with what fills up the last group")
  func encoding() {
    for (text, encoded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")] {
      expect(base64(Array(text.utf8)), equals: encoded)
    }
  }
}
