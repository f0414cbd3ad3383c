import Expectations
import Testing

@testable import Fetch

@Suite struct CurlOptionsTests {
  func read(_ variables: [String: String]) -> ProxyEnvironment { ProxyEnvironment { variables[$0] } }

  @Test("the usual variables, the small ones first; HTTP_PROXY is no such one")
  func variables() {
    let all = read([
      "http_proxy": "http://a", "https_proxy": "http://b", "HTTPS_PROXY": "http://c", "no_proxy": "x",
      "SSL_CERT_FILE": "/f", "SSL_CERT_DIR": "/d", "CURL_CA_BUNDLE": "/g", "all_proxy": "http://e",
    ])
    expect(all.proxy(for: .http), equals: "http://a")
    expect(all.proxy(for: .https), equals: "http://b")
    expect(all.noProxy, equals: "x")
    expect(all.certificateFile, equals: "/g")
    expect(all.certificateFolder, equals: "/d")
    expect(read(["HTTP_PROXY": "http://a"]), equals: ProxyEnvironment())
    expect(read(["ALL_PROXY": "http://e", "https_proxy": ""]).proxy(for: .https), equals: "http://e")
    expect(read(["ALL_PROXY": "http://e"]).proxy(for: .http), equals: "http://e")
  }
}
