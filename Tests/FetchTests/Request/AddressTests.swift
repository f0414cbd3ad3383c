import Expectations
import Reactive
import System
import TestScale
import Testing

@testable import Fetch

@Suite struct AddressTests {
  func flaw(_ text: String) -> String? {
    do throws(Sentence) {
      _ = try Address(text)
      return nil
    } catch {
      return error.description
    }
  }

  @Test(
    "what is sent is what was meant",
    arguments: [
      ("https://example.org", "https://example.org/"),
      (" HTTPS://Example.ORG:443/A/b/?q=1#part ", "https://example.org/A/b/?q=1"),
      ("http://127.0.0.1:8080/a", "http://127.0.0.1:8080/a"),
      ("http://[2001:DB8::1]:80/", "http://[2001:db8::1]/"),
      ("https://example.org?a=1&&b", "https://example.org/?a=1&b"),
      ("https://example.org/a b/é?q=Kępa \"x\"", "https://example.org/a%20b/%C3%A9?q=K%C4%99pa%20%22x%22"),
      ("https://example.org/a%2Fb?q=%2C+&e=", "https://example.org/a%2Fb?q=%2C+&e="),
      ("https://example.org/a?u=https://b.org/?x", "https://example.org/a?u=https://b.org/?x"),
    ])
  func read(_ text: String, _ sent: String) throws {
    try expect(Address(text).text, equals: sent)
    try expect(Address(sent).text, equals: sent)
  }

  @Test(
    "an invalid address is reported in a sentence without secrets",
    arguments: [
      ("", "the address is empty; write one like https://example.org/items"),
      ("example.org/a", "the address does not begin with https:// or http://"),
      ("file:///etc/passwd", "the address begins with “file”; only https and http can be fetched"),
      ("a.org?key=hunter2&u=http://b.org", "the address does not begin with https:// or http://"),
      ("https://", "the address has no host after ://"),
      ("https:///a", "the address has no host after ://"),
      (
        "https://me:hunter2@example.org/",
        "the address contains a user name or password, which could not be redacted; send them in a header"
      ),
      (
        "https://a b/", "“a b” is not a valid host; a host consists of letters, digits, dots and hyphens"
      ),
      (
        "https://[a.org]/",
        "“[a.org]” is not a valid host; a host consists of letters, digits, dots and hyphens"
      ),
      (
        "https://me:hunter2/x@example.org",
        "the port after the host must be a number from 1 to 65535"
      ),
      ("https://a:0/", "the port after the host must be a number from 1 to 65535"),
      ("https://a/\n", "the address contains a line break or another control character"),
    ])
  func refused(_ text: String, _ words: String) {
    expect(flaw(text), equals: words)
  }

  @Test("it shows itself without what is secret, by mark or by name")
  func masked() throws {
    let base = try Address("https://api.nasa.gov/planetary/")
    let address = base.appending(path: "/apod").setting("date", to: "2026-01-01").setting(
      "api_key", to: "hunter2"
    )
    .setting("who", to: "a&b=c", isSecret: true)
    expect(
      address.text,
      equals: "https://api.nasa.gov/planetary/apod?date=2026-01-01&api_key=hunter2&who=a%26b%3Dc")
    expect("\(address)", equals: "https://api.nasa.gov/planetary/apod?date=2026-01-01&api_key=***&who=***")
    expect(
      "\(try Address("https://a.org/?X-Api-Key=1&token=2&q=3"))",
      equals: "https://a.org/?X-Api-Key=1&token=***&q=3")
  }

  @Test("an item takes the place of those of its name")
  func setting() throws {
    let address = try Address("https://a.org/?a=1&b=2&a=3&c=4")
    expect(address.setting("a", to: "9").text, equals: "https://a.org/?a=9&b=2&c=4")
    expect(
      address.setting("c", to: nil).setting("d e", to: "").text, equals: "https://a.org/?a=1&b=2&a=3&d%20e=")
  }

  @Test(
    "a link is followed from where it stands",
    arguments: [
      ("https://b.org/x", "https://b.org/x"),
      ("//b.org/x", "https://b.org/x"),
      ("/x?q=1", "https://a.org:8443/x?q=1"),
      ("?offset=10", "https://a.org:8443/d/e?offset=10"),
      ("f?g", "https://a.org:8443/d/f?g"),
      ("", "https://a.org:8443/d/e"),
      ("http://a.org:8443/d", "http://a.org:8443/d"),
      ("../up", "https://a.org:8443/up"), ("./y?../z", "https://a.org:8443/d/y?../z"),
      ("../../..", "https://a.org:8443/"), ("a/./b/..", "https://a.org:8443/d/a/"),
      (".hidden", "https://a.org:8443/d/.hidden"),
    ])
  func following(_ link: String, _ target: String) throws {
    try expect(Address("https://a.org:8443/d/e?q=0").following(link).text, equals: target)
  }

  @Test(
    "a link in a text keeps its own fragment, which no request has",
    arguments: [
      ("https://b.org/x#v2.1", "https://b.org/x#v2.1"),
      ("http://b.org/a/../b/.#c/../d", "http://b.org/b/#c/../d"), ("//b.org/a/./b", "https://b.org/a/b"),
      ("https://b.org/#/route/1?a=b", "https://b.org/#/route/1?a=b"),
      ("//b.org#é x", "https://b.org/#%C3%A9%20x"),
      ("f?g#%41", "https://a.org:8443/d/f?g#%41"),
      (" #here", "https://a.org:8443/d/e?q=0#here"),
      ("#", "https://a.org:8443/d/e?q=0#"),
      ("", "https://a.org:8443/d/e?q=0"),
      ("?q=1", "https://a.org:8443/d/e?q=1"),
    ])
  func fragments(_ link: String, _ target: String) throws {
    let address = try Address("https://a.org:8443/d/e?q=0&token=t#old")
    try expect(address.resolving(link), equals: target)
    #expect(try !address.following(link).text.contains("#"))
  }

  @Test("a secret stays one in a link that carries it on, under another name too")
  func secretsInLinks() throws {
    let address = try Address("https://a.org/").setting("who", to: "hunter2", isSecret: true)
    expect("\(try address.following("/?who=other&page=2"))", equals: "https://a.org/?who=***&page=2")
    expect(
      "\(try address.following("https://a.org/?me=hunter2&page=2"))", equals: "https://a.org/?me=***&page=2")
  }

  @Test("whatever is read is sent as one clean line, and read again as the same")
  func property() throws {
    var dice = SplitMix64(seed: 7)
    let parts = [
      "https://", "http://", "a.org", ":80", ":443", "/", "?", "&", "=", "#", "%2", "%41", "é", " ", "..",
      "[::1]", "@", "+", "\u{1}",
    ]
    var good = 0
    for _ in 0..<TestScale.count(5000, atLeast: 500) {
      let text =
        (dice.below(3) == 0 ? "" : "https://a.org")
        + (0..<dice.below(8)).map { _ in parts[dice.below(parts.count)] }.joined()
      guard let address = try? Address(text) else { continue }
      good += 1
      #expect(address.text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7f }, "\(text)")
      try expect(Address(address.text), equals: address, "\(text)")
      try expect(address.following(address.text), equals: address, "\(text)")
    }
    #expect(good > 100)
  }
}
