import Expectations
import Testing

@testable import Fetch

@Suite struct RequestTests {
  @Test("it shows itself without its secrets, wherever they stand")
  func shown() throws {
    let request = try request("https://a.org/bot12345:abc/send?api_key=hunter2") {
      $0.method = .post
      $0.secrets = ["12345:abc"]
    }
    expect("\(request)", equals: "POST https://a.org/bot***/send?api_key=***")
    expect("\(Header("Authorization", "Token hunter2"))", equals: "Authorization: ***")
    expect("\(Header("X-Api-Key", "hunter2"))", equals: "X-Api-Key: ***")
    expect("\(Header("X-Mine", "hunter2", isSecret: true))", equals: "X-Mine: ***")
    expect("\(Header("Accept", "text/plain"))", equals: "Accept: text/plain")
  }

  @Test("of a header's secret the key alone is hidden too")
  func keyOfHeader() throws {
    let request = try request("https://a.org/") { $0.headers = [Header("Authorization", "Token hunter2")] }
    expect(request.redaction.masked("your key hunter2 is bad"), equals: "your key *** is bad")
    expect(request.redaction.masked("Token hunter2"), equals: "***")
  }

  @Test("the next page is asked for with the same headers; another host gets no secret one")
  func following() throws {
    let first = try request("https://a.org/x?key=1") {
      $0.headers = [Header("Authorization", "Token hunter2"), Header("Accept", "text/plain")]
    }
    let next = try first.following("?page=2")
    expect(next.address.text, equals: "https://a.org/x?page=2")
    expect(next.headers, equals: first.headers)
    for link in ["https://b.org/x", "http://a.org/x", "https://a.org:444/x"] {
      try expect(first.following(link).headers, equals: [Header("Accept", "text/plain")])
    }
  }

  @Test("headers that would break out of their line are refused before anything is sent")
  func flaws() throws {
    func flaw(_ header: Header) throws -> String? {
      try request("https://a.org/") { $0.headers = [header] }.invalidReason
    }
    try expectNil(flaw(Header("X-A", "b\tc")))
    try expect(
      flaw(Header("X-A", "b\r\nX-C: d")),
      equals: "the value of the header X-A contains a line break or another control character")
    try expect(flaw(Header("X A", "b")), equals: "“X A” is not a valid header name")
    try expect(flaw(Header("", "b")), equals: "“” is not a valid header name")
    try expect(request("https://a.org/") { $0.body = [1] }.invalidReason, equals: "a GET request has a body")
  }
}
