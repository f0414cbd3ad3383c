import Expectations
import Loopback
import Testing

@testable import flow

@Suite("flow version") struct VersionCommandTests {
  private func flow(_ config: String?, _ arguments: String...) throws -> Outcome {
    let place = try Workplace()
    if let config { try place.write("config.yaml", config) }
    return try place.flow(["version"] + arguments)
  }

  private static func feed(_ entries: [(title: String, link: String)]) -> String {
    "<feed xmlns='http://www.w3.org/2005/Atom'>"
      + entries.map {
        "<entry><id>\($0.link)</id><title>\($0.title)</title><updated>2026-12-24T10:00:00Z</updated>"
          + "<link href='\($0.link)'/></entry>"
      }.joined() + "</feed>"
  }

  private let own = "flow \(VersionCommand.version) (jq 1.8)\n"

  @Test(
    "newer releases of the configured feed are named, the newest first; what comes before a release is not")
  func newer() throws {
    let entries = [
      ("flow 8.0.0: pages", "https://example.org/8.0.0"),
      ("v9.10.0-rc.1", "https://example.org/v9.10.0-rc.1"),
      ("A word about the logo", "https://example.org/logo"), ("Fixes", "https://example.org/v9.2.10"),
      ("flow 9.2.9", "https://example.org/9.2.9"), ("flow 0.1.0", "https://example.org/0.1.0"),
      ("flow \(VersionCommand.version)", "https://example.org/own"),
      ("again 8.0.0", "https://example.org/again"),
    ]
    let server = try LoopbackServer { _ in
      [.reply(Self.feed(entries), ["Content-Type: application/atom+xml"])]
    }
    try server.serving {
      let found = try flow("releases: \(server.url)/feed\n", "--check")
      expect(
        found,
        equals: Outcome(
          status: 0,
          output: own + """
            newer: 9.2.10, of 2026-12-24: https://example.org/v9.2.10
            newer: 9.2.9, of 2026-12-24: https://example.org/9.2.9
            newer: 8.0.0, of 2026-12-24: https://example.org/8.0.0

            """, errors: ""))
      expect(server.received.count, equals: 1)
      try expect(flow("releases: \(server.url)/feed\n"), equals: Outcome(status: 0, output: own, errors: ""))
      expect(server.received.count, equals: 1, "without --check nothing is requested")
    }
  }

  @Test("it says so where there is no newer one")
  func newest() throws {
    let entries = [
      ("flow \(VersionCommand.version)", "https://example.org/a"), ("flow 0.1.0", "https://example.org/b"),
    ]
    let server = try LoopbackServer { _ in
      [.reply(Self.feed(entries), ["Content-Type: application/atom+xml"])]
    }
    try server.serving {
      try expect(
        flow("releases: \(server.url)\n", "--check"),
        equals: Outcome(status: 0, output: own + "there is no newer one\n", errors: ""))
    }
  }

  @Test(
    "a feed that cannot be read, or names no version, is a failure, without what is secret in its address")
  func failing() throws {
    let server = try LoopbackServer { request in
      request.target.hasPrefix("/none")
        ? [.reply(Self.feed([("News", "https://example.org/news")]), ["Content-Type: application/atom+xml"])]
        : [.reply("no", status: "404 Not Found")]
    }
    try server.serving {
      let place = try Workplace()
      try place.write("config.yaml", "releases: '\(server.url)/${FEED_KEY}'\n")
      let missing = try place.flow(["version", "--check"], environment: ["FEED_KEY": "verysecret"])
      #expect(missing.status == 1 && missing.errors.contains("answered 404"), "\(missing)")
      #expect(!missing.errors.contains("verysecret"), "\(missing)")
      let none = try flow("releases: \(server.url)/none\n", "--check")
      #expect(none.status == 1 && none.errors.contains("no entry of this feed names a version"), "\(none)")
    }
  }

  @Test(
    "without a feed, or with one that is none, it is wrong use",
    arguments: [
      (nil, "no feed of releases is configured"), ("releases: [a]\n", "must be the address of a feed"),
      ("releases: ftp://example.org\n", "releases in config.yaml: "), ("releases: [\n", "config.yaml:"),
    ])
  func wrong(_ config: String?, _ message: String) throws {
    let outcome = try flow(config, "--check")
    #expect(outcome.status == 2 && outcome.errors.contains(message), "\(outcome)")
    #expect(outcome.output.isEmpty)
  }

  @Test("versions are found in texts, and compared by number")
  func versions() throws {
    let found = ["v0.10.0", "flow 0.9.12 is out", "a/0.2.0/b"].map { ReleaseVersion(in: $0).map { "\($0)" } }
    expect(found, equals: ["0.10.0", "0.9.12", "0.2.0"])
    #expect(["", "1.2", "1.2.3.4", "1.2.3-rc1", "1..3"].allSatisfy { ReleaseVersion(in: $0) == nil })
    #expect(try #require(ReleaseVersion(in: "0.10.0")) > #require(ReleaseVersion(in: "0.9.12")))
  }
}
