import Expectations
import Reactive
import Testing

@testable import Fetch

@Suite struct RetryPolicyTests {
  func policy(attempts: Int = 3, chance: Double = 1, patience: Int = 120) -> RetryPolicy {
    RetryPolicy(
      backoff: Backoff(
        initial: .seconds(1), factor: 2, cap: .seconds(30), attempts: attempts, random: { chance }),
      patience: .seconds(patience))
  }

  func error(_ kind: FetchError.Kind, asking wait: Duration? = nil) throws -> FetchError {
    var error = FetchError(kind, try request("https://a.org/"), "failed")
    error.requestedWait = wait
    return error
  }

  @Test("only what may go away by itself is tried again")
  func kinds() throws {
    let again: [FetchError.Kind] = [
      .unreachable, .timeout(.connect), .timeout(.firstByte), .timeout(.stall), .timeout(.whole),
      .interrupted,
      .truncated, .status(429), .status(500), .status(502), .status(503), .status(504),
    ]
    let never: [FetchError.Kind] = [
      .request, .encryption, .tooLarge, .redirect, .notJSON, .budget, .cancelled, .store, .failed,
      .status(400),
      .status(401), .status(403), .status(404), .status(410), .status(501), .status(304),
    ]
    for kind in again + never {
      let wait = policy().wait(after: try error(kind), tries: 1, waited: .zero, canBeRepeated: true)
      expect((wait != nil), equals: again.contains(kind), "\(kind)")
    }
  }

  @Test("what must not be asked twice is only where the server did nothing about it")
  func unrepeatable() throws {
    for (kind, isTried) in [
      (FetchError.Kind.unreachable, true), (.timeout(.connect), true), (.status(429), true),
      (.timeout(.whole), false),
      (.interrupted, false), (.status(500), false), (.truncated, false),
    ] {
      let wait = policy().wait(after: try error(kind), tries: 1, waited: .zero, canBeRepeated: false)
      expect((wait != nil), equals: isTried, "\(kind)")
    }
  }

  @Test("waits double up to a cap, chance draws from all of each, and there is an end")
  func waits() throws {
    let failed = try error(.interrupted)
    func waits(_ chance: Double) -> [Duration?] {
      (1...9).map {
        policy(attempts: 8, chance: chance, patience: 9999).wait(
          after: failed, tries: $0, waited: .zero, canBeRepeated: true)
      }
    }
    // Chance is taken off the full wait.
    expect(waits(0), equals: [1, 2, 4, 8, 16, 30, 30, 30].map { .seconds($0) } + [nil])
    expect(waits(0.5).prefix(3), equals: [.milliseconds(500), .seconds(1), .seconds(2)])
    #expect(waits(1).prefix(8).allSatisfy { $0 == .zero })
  }

  @Test("the server's own wait is kept, past the cap, but not past all patience")
  func asked() throws {
    let failed = try error(.status(429), asking: .seconds(100))
    func wait(_ waited: Int) -> Duration? {
      policy().wait(after: failed, tries: 1, waited: .seconds(waited), canBeRepeated: true)
    }
    expect(wait(0), equals: .seconds(100))
    expect(wait(20), equals: .seconds(100))
    expectNil(wait(21))
    let long = try error(.status(429), asking: .seconds(1716))
    expectNil(policy().wait(after: long, tries: 1, waited: .zero, canBeRepeated: true))
  }
}

@Suite struct RetryAfterTests {
  func wait(_ header: String? = nil, _ serverMessage: String? = nil) -> Duration? {
    let headers = Headers(header.map { [("Retry-After", $0)] } ?? [])
    return requestedWait(headers, serverMessage: serverMessage, now: 784_111_700)
  }

  @Test("seconds, a date, or words in the body; the header counts more")
  func forms() {
    let throttled = "Request was throttled. Expected available in 1716 seconds."
    expect(wait("120"), equals: .seconds(120))
    expect(wait(" 0 "), equals: .zero)
    expect(wait("Sun, 06 Nov 1994 08:49:37 GMT"), equals: .seconds(77))
    expect(wait("Sun, 06 Nov 1994 08:40:00 GMT"), equals: .zero)
    expect(wait(nil, throttled), equals: .seconds(1716))
    expect(wait("5", throttled), equals: .seconds(5))
    expect(wait("soon", throttled), equals: .seconds(1716))
    expect(wait(nil, "try in 1 second"), equals: .seconds(1))
  }

  @Test("invalid waits are ignored, and no wait is longer than six hours")
  func bounds() {
    expectNil(wait())
    expectNil(wait("-5"))
    expectNil(wait("nan"))
    expectNil(wait("inf"))
    expectNil(wait(nil, "seconds"))
    expectNil(wait(nil, "lasts 5 seconds"))
    expect(wait("1e99"), equals: .seconds(6 * 3600))
    expect(wait("Sun, 06 Nov 9994 08:49:37 GMT"), equals: .seconds(6 * 3600))
  }
}
