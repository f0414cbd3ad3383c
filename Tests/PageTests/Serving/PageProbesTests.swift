import Expectations
import Testing

@testable import Page

@Suite("Probes of a page's server")
struct PageProbesTests {
  private func get(
    _ path: String, problems: [String] = [], at address: PageAddress = .standard, token: String? = nil,
    given: String? = nil, method: String = "GET"
  ) -> PageAnswer {
    let probes = PageProbes(metricsType: "text/plain; version=0.0.4", metrics: { "up 1\n" }) { problems }
    let guarding = PageGuard(address, token: token, hasPictures: false)
    let router = PageRouter(PageFixture().hub, guarding, probes)
    return router.answer(
      PageRequest(
        method: method, path: path, query: given.map { [(name: "token", value: $0)] } ?? [],
        headers: ["host": "127.0.0.1:8787"]))
  }

  @Test("readyz fails with each problem, healthz never")
  func health() {
    #expect(get("/healthz").status == 200 && get("/healthz", problems: ["p: it failed"]).status == 200)
    #expect(get("/readyz").status == 200 && get("/readyz").text == "ready\n")
    let answer = get("/readyz", problems: ["p: it failed", "q: it waits"])
    #expect(answer.status == 503 && answer.text == "not ready\np: it failed\nq: it waits\n")
  }

  @Test("metrics have their type, and are not changed by a POST")
  func metrics() {
    let answer = get("/metrics")
    #expect(answer.status == 200 && answer.text == "up 1\n")
    expect(answer.header("Content-Type"), equals: "text/plain; version=0.0.4")
    expect(get("/metrics", method: "POST").status, equals: 404)
    expect(PageFixture().get("/metrics").status, equals: 404)
  }

  @Test("where other machines can ask, metrics need the token, and health says no more than its status")
  func token() {
    let all = PageAddress.tcp(host: "0.0.0.0", port: 8787)
    expect(get("/metrics", at: all, token: "secret").status, equals: 401)
    expect(get("/metrics", at: all, token: "secret", given: "other").status, equals: 401)
    expect(get("/metrics", at: all, token: "secret", given: "secret").text, equals: "up 1\n")
    expect(get("/healthz", at: all, token: "secret").status, equals: 200)
    let answer = get("/readyz", problems: ["p: it failed"], at: all, token: "secret")
    #expect(answer.status == 503 && answer.text == "not ready\n")
  }
}
