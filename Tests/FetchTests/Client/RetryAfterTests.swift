import Testing

@testable import Fetch

@Suite struct RetryAfterTests {
  func wait(_ header: String? = nil, _ complaint: String? = nil) -> Duration? {
    let headers = Headers(header.map { [("Retry-After", $0)] } ?? [])
    return requestedWait(headers, complaint: complaint, now: 784_111_700)
  }

  @Test("seconds, a date, or words in the body; the header counts more")
  func forms() {
    let throttled = "Request was throttled. Expected available in 1716 seconds."
    #expect(wait("120") == .seconds(120))
    #expect(wait(" 0 ") == .zero)
    #expect(wait("Sun, 06 Nov 1994 08:49:37 GMT") == .seconds(77))
    #expect(wait("Sun, 06 Nov 1994 08:40:00 GMT") == .zero)
    #expect(wait(nil, throttled) == .seconds(1716))
    #expect(wait("5", throttled) == .seconds(5))
    #expect(wait("soon", throttled) == .seconds(1716))
    #expect(wait(nil, "try in 1 second") == .seconds(1))
  }

  @Test("nonsense asks for nothing, and nobody may ask for more than a week")
  func bounds() {
    #expect(wait() == nil)
    #expect(wait("-5") == nil)
    #expect(wait("nan") == nil)
    #expect(wait("inf") == nil)
    #expect(wait(nil, "seconds") == nil)
    #expect(wait(nil, "lasts 5 seconds") == nil)
    #expect(wait("1e99") == .seconds(7 * 86400))
    #expect(wait("Sun, 06 Nov 9994 08:49:37 GMT") == .seconds(7 * 86400))
  }
}
