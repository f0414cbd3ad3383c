import Testing

@testable import Fetch

@Suite struct KnownAnswerTests {
  @Test("it comes back as it was kept, without cookies, and its secrets do not lie there")
  func kept() throws {
    let veil = Veil(["hunter2"])
    let headers = Headers([("ETag", "\"a:b\""), ("Link", "</?key=hunter2>; rel=next"), ("X-Empty", "")])
    var answer = KnownAnswer(status: 200, checked: 7, headers: headers, body: Array("[\"hunter2\"]".utf8))
    let cached = try #require(answer.cached(veil))
    #expect(!cached.headers.contains(subsequence: "hunter2"))
    #expect(!cached.body.contains(subsequence: "hunter2"))
    #expect(KnownAnswer(cached, veil) == answer)
    answer.headers.add("Set-Cookie", "session=1")
    #expect(answer.cached(veil) == cached)
  }
}
