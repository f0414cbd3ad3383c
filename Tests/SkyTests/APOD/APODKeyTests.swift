import Expectations
import JSON
import Testing

@testable import Sky

@Suite struct APODKeyTests {
  private let start = SkyTime(seconds: SkyDate(2026, 8, 21).days * 86400)

  private func request(_ key: String?, client: String = "10.0.0.1") -> SkyRequest {
    SkyRequest(
      path: "/planetary/apod", query: [("start_date", "2026-08-20")] + (key.map { [("api_key", $0)] } ?? []),
      client: client)
  }

  private func header(_ name: String, of answer: SkyAnswer) -> String? {
    answer.headers.first { $0.name == name }?.value
  }

  @Test("without a key the gateway refuses in words of its own")
  func refusal() throws {
    let answer = try #require(APODService(seed: 7).answer(request(nil), at: start))
    expect(answer.status, equals: 403)
    let error = try #require(Value.parse(answer.body).member("error"))
    expect(error.member("code")?.string, equals: "API_KEY_MISSING")
    expect(error.member("message")?.string?.isEmpty, equals: false)
  }

  @Test("the demonstration key takes thirty calls in an hour from one client, fifty in a day")
  func demonstration() throws {
    let service = APODService(seed: 7)
    for call in 1...30 {
      let answer = try #require(service.answer(request("DEMO_KEY"), at: start + Double(call * 60)))
      expect(answer.status, equals: 200)
      expect(header("X-RateLimit-Limit", of: answer), equals: "30")
      expect(header("X-RateLimit-Remaining", of: answer), equals: "\(30 - call)")
      expectNil(header("Retry-After", of: answer))
    }
    let refused = try #require(service.answer(request("DEMO_KEY"), at: start + 31 * 60))
    expect(refused.status, equals: 429)
    expect(header("X-RateLimit-Remaining", of: refused), equals: "0")
    // The first call, of minute 1, falls out of the hour at minute 61.
    expect(header("Retry-After", of: refused), equals: "1800")
    try expect(Value.parse(refused.body).member("error")?.member("code")?.string, equals: "OVER_RATE_LIMIT")
    expect(service.answer(request("DEMO_KEY", client: "10.0.0.2"), at: start + 31 * 60)?.status, equals: 200)
    expect(service.answer(request("DEMO_KEY"), at: start + 3659)?.status, equals: 429)
    expect(service.answer(request("DEMO_KEY"), at: start + 61 * 60)?.status, equals: 200)
    let later = start + 5 * 3600
    let answered = (0..<30).count { _ in service.answer(request("DEMO_KEY"), at: later)?.status == 200 }
    expect(answered, equals: 19)
    let daily = try #require(service.answer(request("DEMO_KEY"), at: later))
    expect(header("Retry-After", of: daily), equals: "\(24 * 3600 + 60 - 5 * 3600)")
    expect(service.answer(request("DEMO_KEY"), at: start + 86400 + 59)?.status, equals: 429)
    expect(service.answer(request("DEMO_KEY"), at: start + 86400 + 60)?.status, equals: 200)
  }

  @Test("a key of one's own takes a thousand an hour, wherever it is used from")
  func own() throws {
    let service = APODService(seed: 7)
    func status(_ key: String, _ client: String, _ seconds: Double) -> Int? {
      service.answer(request(key, client: client), at: start + seconds)?.status
    }
    for call in 1...1000 { expect(status("mine", "\(call)", Double(call)), equals: 200) }
    let refused = try #require(service.answer(request("mine"), at: start + 1000))
    #expect(refused.status == 429 && header("Retry-After", of: refused) == "2601")
    expect(header("X-RateLimit-Limit", of: refused), equals: "1000")
    expect(status("yours", "x", 1000), equals: 200)
    expect(status("mine", "x", 3601), equals: 200)
  }
}
