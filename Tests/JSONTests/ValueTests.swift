import Testing

@testable import JSON

@Suite struct ValueTests {
  @Test func literalsKeepWhatTheyWere() {
    #expect(Value.literal("1e1000")?.double == .infinity)
  }
}
