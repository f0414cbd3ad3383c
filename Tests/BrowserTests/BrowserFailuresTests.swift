import Expectations
import Foundation
import Loopback
import Reactive
import System
import Testing
import TestSupport

@testable import Browser
@testable import Fetch

/// Pages that cannot be read: each says why, and none holds up the next.
@Suite(.enabled(if: Chromium.isWanted, "\(Chromium.skipped)"), .serialized) struct BrowserFailuresTests {
  private static let pages: [String: [LoopbackServer.Step]] = [
    "/good": [.html("<title>Good</title><p class=item>1</p>")],
    "/403": [.html("<title>Just a moment…</title>", status: "403 Forbidden")],
    "/500": [.html("", status: "500 Internal Server Error")],
    "/204": [.text("HTTP/1.1 204 No Content\r\n\r\n")],
    "/loop": [.html("", status: "302 Found", ["Location: /loop"])],
    "/silent": [.pause(milliseconds: 30_000)],
    "/endless": [
      .text("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Endless</title><p>"),
      .pause(milliseconds: 30_000),
    ],
    "/empty": [.html("<title>Just a moment…</title>")],
    "/spin": [
      .html("<title>Spin</title><script>setTimeout(() => { while (true) {} }, 0)</script><p class=item>1</p>")
    ],
    "/alert": [
      .html(
        "<title>A</title><script>alert('x');confirm('y');document.write('<p class=item>after</p>')</script>")
    ],
    "/file": [.reply("data", ["Content-Type: application/zip", "Content-Disposition: attachment"])],
    "/popup": [
      .html(
        "<title>P</title><a id=a target=_blank href=/good?popup>x</a><script>window.open('/good?opened');a.click()</script><p class=item>1</p>"
      )
    ],
    "/memory": [
      .html("<title>M</title><script>const all=[];while(true)all.push(new Array(1e6).fill(1.5))</script>")
    ],
    "/asks": [
      .html(
        """
        <title>A</title><p id=said></p><script>
        const asked = ['geolocation', 'notifications', 'camera', 'microphone', 'clipboard-read', 'midi']
          .map(name => navigator.permissions.query({ name }).then(it => it.state));
        asked.push(
          new Promise(done => navigator.geolocation.getCurrentPosition(() => done('granted'), it => done(`place ${it.code}`))),
          navigator.clipboard.readText().then(() => 'granted', it => it.name));
        Promise.all(asked).then(all => { said.textContent = all.join(); said.className = 'done' });
        </script>
        """)
    ],
    "/broken": [.reset],
    "/nosy": [
      .html(
        """
        <title>N</title><iframe src="file:///etc/passwd"></iframe><p id=said></p><script>
        Promise.allSettled(['file:///etc/passwd', 'http://169.254.169.254/latest'].map(it => fetch(it, { mode: 'no-cors' })))
          .then(all => { said.textContent = all.map(it => it.status).join() })
        </script>
        """)
    ],
  ]

  private func serving(_ body: (LoopbackServer) throws -> Void) throws {
    let server = try LoopbackServer { request in
      Self.pages[String(request.target.prefix { $0 != "?" })] ?? [.html("no", status: "404 Not Found")]
    }
    try server.serving { try body(server) }
  }

  @Test("the status of the document counts")
  func status() throws {
    try serving { server in
      let refused = try visit("\(server.url)/403") { $0.selector = ".item" }
      expect(refused.status, equals: 403)
      #expect(refused.body.contains("Just a moment…"))
      expect(try visit("\(server.url)/500").status, equals: 500)
      expect(try visit("\(server.url)/204").status, equals: 204)
      expect(try visit("\(server.url)/other").status, equals: 404)
    }
  }

  @Test("what does not come is named, with the title of the page")
  func waits() throws {
    try serving { server in
      let found = try visit("\(server.url)/empty") { ($0.selector, $0.patience) = (".item", .seconds(3)) }
      expect(found.failure, equals: "waited 3 s for .item; the page's title is “Just a moment…”")
      let action = try visit("\(server.url)/empty") {
        ($0.actions, $0.patience) = ([.click("#go")], .seconds(3))
      }
      expect(action.failure, equals: "waited 3 s for #go; the page's title is “Just a moment…”")
      let script = try visit("\(server.url)/empty") { $0.actions = [.script("missing()")] }
      expect(script.failure, equals: "the script fails: ReferenceError: missing is not defined")
    }
  }

  @Test("redirects without an end, no answer, and a document without an end fail in time")
  func loading() throws {
    try serving { server in
      let loop = try visit("\(server.url)/loop")
      expect(loop.failure, equals: "redirects without an end")
      let silent = try visit("\(server.url)/silent") { $0.patience = .seconds(3) }
      #expect(silent.failure?.hasPrefix("the page was not loaded within 3 s") ?? false)
      let endless = try visit("\(server.url)/endless") { $0.patience = .seconds(3) }
      expect(endless.failure, equals: "the page was not loaded within 3 s; the page's title is “Endless”")
      let broken = try visit("\(server.url)/broken")
      if case .failure(let error) = broken {
        expect(error.mayPassKind, equals: true)
      } else {
        Issue.record("\(broken)")
      }
    }
    let gone = try visit("http://127.0.0.1:\(try freePorts(1)[0])/")
    expect(gone.failure, equals: "cannot connect: Connection refused")
    let nowhere = try visit("http://nowhere.invalid/")
    #expect(nowhere.failure?.hasPrefix("nowhere.invalid is not found") ?? false)
  }

  @Test("a script without an end holds up neither the poll nor the next one")
  func spin() throws {
    try serving { server in
      let found = try visit("\(server.url)/spin") { ($0.selector, $0.patience) = (".never", .seconds(3)) }
      #expect(found.failure?.contains("does not answer") ?? false)
      #expect(try visit("\(server.url)/good").body.contains("item"))
    }
  }

  @Test("dialogs are dismissed, popups closed, and downloads refused")
  func refusals() throws {
    try serving { server in
      #expect(try visit("\(server.url)/alert").body.contains("after"))
      expect(
        try visit("\(server.url)/file").failure, equals: "the address is a download, which a page cannot show"
      )
      #expect(try visit("\(server.url)/popup").body.contains("item"))
      #expect(!server.received.contains { $0.target == "/good?opened" })
    }
  }

  @Test("permissions are refused: the place, notices, camera, microphone, clipboard")
  func permissions() throws {
    try serving { server in
      let found = try visit("\(server.url)/asks") { $0.selector = ".done" }
      #expect(
        found.body.contains(
          ">\(Array(repeating: "denied", count: 6).joined(separator: ",")),place 1,NotAllowedError<"),
        "\(found.body)")
    }
  }

  @Test("a page reaches neither files nor the metadata of the machine")
  func nosy() throws {
    try serving { server in
      let found = try visit("\(server.url)/nosy")
      #expect(found.body.contains("rejected,rejected"))
      #expect(!found.body.contains("root:"))
      #expect(try found.get().remark?.hasSuffix("refused: 169.254.169.254:80") ?? false)
    }
  }

  @Test("a certificate of an unknown authority is the reason")
  func certificate() throws {
    let folder = try TemporaryFolder()
    func openssl(_ arguments: String) throws -> TestProcess {
      let process = TestProcess()
      process.executableURL = URL(fileURLWithPath: "/usr/bin/openssl")
      process.arguments = arguments.split(separator: " ").map(String.init)
      process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      try process.run()
      return process
    }
    try openssl(
      "req -x509 -newkey rsa:2048 -nodes -keyout key.pem -out cert.pem -days 2 -subj /CN=flow -addext subjectAltName=IP:127.0.0.1"
    ).waitUntilExit()
    let port = try freePorts(1)[0]
    let server = try openssl("s_server -accept 127.0.0.1:\(port) -cert cert.pem -key key.pem -www")
    defer {
      kill(server.processIdentifier, SIGKILL)
      server.waitUntilExit()
    }
    for _ in 0..<100 where LoopbackClient(port: port) == nil { usleep(50_000) }
    guard case .failure(let error) = try visit("https://127.0.0.1:\(port)/") else {
      Issue.record("no error")
      return
    }
    expect(error.kind, equals: .encryption)
    expect(error.message, equals: "no secure connection: net::ERR_CERT_AUTHORITY_INVALID")
  }

  @Test("a page that eats memory crashes alone")
  func memory() throws {
    try serving { server in
      let found = try visit("\(server.url)/memory") { $0.patience = .seconds(60) }
      expect(found.failure, equals: "the page has crashed, as where its memory runs out")
      #expect(try visit("\(server.url)/good").body.contains("item"))
    }
  }
}

extension TransferError {
  fileprivate var mayPassKind: Bool { kind == .interrupted || kind == .unreachable }
}
