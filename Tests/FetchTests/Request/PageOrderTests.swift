import Expectations
import Testing

@testable import Fetch

@Suite struct PageOrderTests {
  @Test(
    "patterns are of the whole address, or of its path and query",
    arguments: [
      ("/api/items*", "https://a.org/api/items?page=1", true),
      ("/api/items", "https://a.org/api/items?page=1", false),
      ("*/items?page=*", "https://a.org/api/items?page=1", true),
      ("https://a.org/*", "https://a.org/x", true),
      ("*.js", "https://a.org/x.json", false), ("/", "https://a.org/", true),
      ("/*b*b", "https://a.org/abcb", true),
      ("/x", "data:text/plain,/x", false), ("*", "", true), ("", "", true), ("**a", "aab", false),
    ])
  func patterns(_ pattern: String, _ address: String, _ expected: Bool) {
    expect(PageOrder.matches(pattern, address), equals: expected)
  }

  @Test(
    "values of fields are redacted where they are secrets, and a page has a place of its own in the cache")
  func secrets() throws {
    var request = Request(try Address("https://a.org/x"))
    let plain = CachePolicy.key(of: request, CacheRule(maximumAge: .zero))
    var page = PageOrder(source: "in")
    page.actions = [.fill("#p", "s3cret"), .click("b")]
    request.page = page
    #expect(request.contains("s3cret") && !request.contains("other"))
    #expect(CachePolicy.key(of: request, CacheRule(maximumAge: .zero)) != plain)
  }
}
