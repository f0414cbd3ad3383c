import Expectations
import Glibc
import JSON
import Loopback
import System
import Testing

@testable import Browser

@Suite struct BrowserProxyTests {
  private func reach(_ text: String) -> AddressReach? {
    try? ResolvedAddress.all(of: text, port: 80).first?.reach
  }

  @Test("addresses belong to the world, a network, this machine or a link")
  func reaches() {
    let table: [(AddressReach, [String])] = [
      (
        .world,
        ["8.8.8.8", "172.32.0.1", "100.128.0.1", "2606:4700::1", "::ffff:8.8.8.8", "64:ff9b::808:808"]
      ),
      (.network, ["10.1.2.3", "172.16.0.1", "192.168.1.1", "100.64.0.1", "fd00::1", "::ffff:10.0.0.1"]),
      (
        .machine,
        ["127.0.0.1", "127.9.9.9", "::1", "[::1]", "::ffff:127.0.0.1", "64:ff9b::7f00:1", "2002:7f00:1::"]
      ),
      (.link, ["169.254.169.254", "0.0.0.0", "224.0.0.1", "255.255.255.255", "::", "fe80::1", "ff02::1"]),
    ]
    for (expected, texts) in table {
      for text in texts { expect(reach(text), equals: expected, "\(text)") }
    }
  }

  @Test("a name that gets another address while its page is open is let in nowhere by that")
  func rebound() {
    var visitor = BrowserProxy.Visitor(host: "evil.example")
    #expect(visitor.mayReach(.world, of: "evil.example") && !visitor.mayReach(.machine, of: "127.0.0.1"))
    visitor.noteConnection(to: .world, of: "cdn.example")
    #expect(visitor.mayReach(.machine, of: "evil.example"), "its own address is not known before")
    visitor.noteConnection(to: .world, of: "evil.example")
    visitor.noteConnection(to: .machine, of: "evil.example")
    for reach in [AddressReach.machine, .network, .link] {
      #expect(!visitor.mayReach(reach, of: "evil.example") && !visitor.mayReach(reach, of: "other.example"))
    }
    #expect(visitor.mayReach(.world, of: "evil.example"))

    var metadata = BrowserProxy.Visitor(host: "169.254.169.254")
    metadata.noteConnection(to: .link, of: "169.254.169.254")
    #expect(metadata.mayReach(.link, of: "169.254.169.254") && !metadata.mayReach(.link, of: "169.254.1.1"))
    #expect(metadata.mayReach(.world, of: "cdn.example"))
  }

  @Test("a page reaches the world, and what is as near as itself; a link only by its own name")
  func rules() {
    #expect(AddressReach.world.mayReach(.world) && !AddressReach.world.mayReach(.network))
    #expect(AddressReach.network.mayReach(.network) && !AddressReach.network.mayReach(.machine))
    #expect(AddressReach.machine.mayReach(.network) && AddressReach.machine.mayReach(.machine))
    #expect(![AddressReach.world, .network, .machine, .link].contains { $0.mayReach(.link) })
  }

  @Test("heads are read whole, and passed on without what concerns the connection")
  func heads() throws {
    var rest: [UInt8] = []
    let text =
      "GET http://a.org:81/x?y HTTP/1.1\r\nHost: a.org\r\nProxy-Authorization: Basic abc\r\nConnection: keep-alive\r\n\r\nbody"
    expect(ProxyHead(Array(text.utf8.prefix(60)), rest: &rest) == nil, equals: true)
    let head = try #require(ProxyHead(Array(text.utf8), rest: &rest))
    expect(String(decoding: rest, as: UTF8.self), equals: "body")
    expect(head["proxy-authorization"], equals: "Basic abc")
    expect(head.destination?.host, equals: "a.org")
    expect(head.destination?.port, equals: 81)
    expect(
      String(decoding: head.closing(head.lineForServer), as: UTF8.self),
      equals: "GET /x?y HTTP/1.1\r\nHost: a.org\r\nConnection: close\r\n\r\n")
  }

  @Test(
    "the destination is that of the request",
    arguments: [
      ("CONNECT a.org:443", "a.org 443"), ("CONNECT [::1]:80", "[::1] 80"), ("GET http://A.org", "a.org 80"),
      ("GET http://a.org?x", "a.org 80"), ("GET /x", nil), ("GET http://u@a.org/", nil),
      ("GET https://a.org/", nil),
      ("CONNECT a.org:0", nil), ("CONNECT a.org:99999", nil),
    ] as [(String, String?)])
  func destinations(_ line: String, _ expected: String?) throws {
    var rest: [UInt8] = []
    let head = try #require(ProxyHead(Array("\(line) HTTP/1.1\r\n\r\n".utf8), rest: &rest))
    expect(head.destination.map { "\($0.host) \($0.port)" }, equals: expected)
  }

  @Test("without the password of a page there is no connection, and with it none to this machine")
  func access() throws {
    let server = try LoopbackServer { _ in [.reply("secret", ["ETag: 1"])] }
    try server.serving {
      let proxy = try BrowserProxy()
      let (outer, own) = (proxy.admit("example.org"), proxy.admit("127.0.0.1"))
      func ask(_ visitor: (name: String, password: String)?, _ address: String) throws -> (Int, String)? {
        let client = try #require(LoopbackClient(port: proxy.port))
        let text = visitor.map { "\($0.name):\($0.password)" } ?? "a:b"
        let credentials = String(decoding: Radix.base64.encode(Array(text.utf8)), as: UTF8.self)
        client.send("GET \(address) HTTP/1.1\r\nProxy-Authorization: Basic \(credentials)\r\n\r\n")
        return client.answer().map { ($0.status, $0.body) }
      }
      expect(try ask(nil, server.url)?.0, equals: 407)
      expect(try ask(outer, server.url) == nil, equals: true)
      expect(try ask(outer, "http://localhost:\(server.port)/") == nil, equals: true)
      expect(proxy.usage(outer).refused.count, equals: 2)
      expect(server.received.count, equals: 0)
      // The page itself is of this machine, and reaches more of it, but no link.
      expect(try ask(own, "\(server.url)/x")?.1, equals: "secret")
      expect(try ask(own, "http://localhost:\(server.port)/")?.1, equals: "secret")
      expect(try ask(own, "http://169.254.169.254/latest/") == nil, equals: true)
      expect(proxy.usage(own).refused, equals: ["169.254.169.254:80"])
      expect(proxy.usage(own).bytes, equals: 12)
      expect(server.received.first?.target, equals: "/x")
      #expect(server.received.first?.headers["proxy-authorization"] == nil)
      proxy.dismiss(own)
      expect(try ask(own, server.url)?.0, equals: 407)
    }
  }

  @Test("a tunnel passes bytes both ways until both sides have ended")
  func tunnel() throws {
    let server = try LoopbackServer { _ in [.reply("through"), .close] }
    try server.serving {
      let proxy = try BrowserProxy()
      let page = proxy.admit("127.0.0.1")
      let credentials = Radix.base64.encode(Array("\(page.name):\(page.password)".utf8))
      let client = try #require(LoopbackClient(port: proxy.port))
      client.send(
        "CONNECT 127.0.0.1:\(server.port) HTTP/1.1\r\nProxy-Authorization: Basic \(String(decoding: credentials, as: UTF8.self))\r\n\r\n"
      )
      expect(client.answer()?.status, equals: 200)
      client.send("GET / HTTP/1.1\r\n\r\n")
      expect(client.answer()?.body, equals: "through")
    }
  }
}
