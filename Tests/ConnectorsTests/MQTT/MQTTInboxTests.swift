import Expectations
import Testing

@testable import Connectors

/// What the library logs, as messages have it.
@Suite struct MQTTInboxTests {
  @Test(
    "an error that the library has logged is a part of a sentence",
    arguments: [
      ("Error: Unrecognised command 16\n", "Unrecognised command 16"), ("Error: \n", ""),
      ("Connection reset", "Connection reset"), ("", ""),
    ])
  func details(_ logged: String, _ detail: String) {
    expect(MQTTInbox.detail(of: logged), equals: detail)
  }
}
