import Expectations
import Foundation
import Loopback
import System
import TestSupport
import Synchronization
import Testing

@testable import Browser
@testable import Fetch

/// Pages as they are: what is on them only after their scripts.
@Suite(.enabled(if: Chromium.isWanted, "\(Chromium.skipped)"), .serialized) struct BrowserPagesTests {
  /// A server of some pages, by the path without its query.
  private func site(
    _ pages: [String: String],
    _ more: @escaping @Sendable (LoopbackServer.Received) -> [LoopbackServer.Step]? = { _ in nil }
  ) throws -> LoopbackServer {
    try LoopbackServer { request in
      if let steps = more(request) { return steps }
      let path = String(request.target.prefix { $0 != "?" })
      return pages[path].map { [.html($0)] } ?? [.html("no such page", status: "404 Not Found")]
    }
  }

  private static let shop = """
    <!DOCTYPE html><html><head><title>The shop</title></head><body><div id=app>…</div><script>
    fetch('/api/items?page=1').then(it => it.json()).then(list => setTimeout(() => {
      document.querySelector('#app').innerHTML = list.map(it => `<p class=item>${it.name}</p>`).join('');
    }, 50))
    </script></body></html>
    """

  private func isItems(_ request: LoopbackServer.Received) -> [LoopbackServer.Step]? {
    request.target.hasPrefix("/api/items")
      ? [.reply(#"[{"name":"Gâteau"},{"name":"Pie"}]"#, ["Content-Type: application/json", "ETag: \"1\""])]
      : nil
  }

  @Test("a shop that renders after a request shows its items")
  func shop() throws {
    let server = try site(["/shop": Self.shop], isItems)
    try server.serving {
      let plain = try visit("\(server.url)/shop")
      expect(plain.status, equals: 200)
      #expect(plain.body.contains("<p class=\"item\">Gâteau</p>"))
      #expect(plain.body.hasPrefix("<!DOCTYPE html><html>"))
      let awaited = try visit("\(server.url)/shop") { $0.selector = ".item + .item" }
      #expect(awaited.body.contains("Pie"))
      expect(try awaited.get().headers["content-type"], equals: "text/html; charset=utf-8")
      let idle = try visit("\(server.url)/shop") { $0.isIdle = true }
      #expect(idle.body.contains("Pie"))
    }
  }

  @Test("the response to a request of the page stands for the page, without what would make a condition")
  func response() throws {
    let table = "<title>T</title><script>fetch('/items.csv')</script>"
    let server = try site(["/shop": Self.shop, "/table": table]) { request in
      request.target == "/items.csv" ? [.reply("name\nPie\n", ["Content-Type: text/csv"])] : isItems(request)
    }
    try server.serving {
      let found = try visit("\(server.url)/shop") { $0.response = "/api/items*" }
      expect(found.body, equals: #"[{"name":"Gâteau"},{"name":"Pie"}]"#)
      let headers = try found.get().headers
      expect(headers["content-type"], equals: "application/json; charset=utf-8")
      #expect(headers["etag"] == nil)
      expect(try found.get().address?.path, equals: "/api/items")
      // Of any type.
      expect(try visit("\(server.url)/table") { $0.response = "/items.csv" }.body, equals: "name\nPie\n")
      let none = try visit("\(server.url)/shop") { ($0.response, $0.patience) = ("/api/other", .seconds(3)) }
      #expect(none.failure?.hasPrefix("waited 3 s for a response of /api/other among the ") ?? false)
    }
  }

  @Test("a page that grows is scrolled to its end, or some times")
  func scrolling() throws {
    let page = """
      <title>Feed</title><body><script>
      let n = 0;
      function add() { if (n < 5) { n++; const p = document.createElement('p'); p.className = 'item';
        p.style.height = '2000px'; p.textContent = 'entry ' + n; document.body.append(p); } }
      add();
      addEventListener('scroll', () => { if (scrollY + innerHeight > document.body.scrollHeight - 50)
        fetch('/more').then(add) });
      </script>
      """
    let server = try site(["/": page, "/more": "x"])
    try server.serving {
      let all = try visit("\(server.url)/") { $0.actions = [.scroll(times: nil)] }
      #expect(all.body.contains("entry 5"))
      let some = try visit("\(server.url)/") { $0.actions = [.scroll(times: 1)] }
      #expect(!some.body.contains("entry 5"))
    }
  }

  @Test("a cookie banner is refused rather than accepted")
  func banner() throws {
    let page = """
      <title>News</title><body><p id=said>nothing</p>
      <div style="position:fixed;bottom:0" id=box>We use cookies. <button onclick="said.textContent='yes';box.remove()">Accept all</button>
      <button onclick="said.textContent='no';box.remove()">Reject all</button></div>
      """
    let server = try site(["/": page])
    try server.serving {
      let found = try visit("\(server.url)/") { $0.dismissesBanners = true }
      #expect(found.body.contains("<p id=\"said\">no</p>"))
      #expect(!found.body.contains("We use cookies"))
    }
  }

  @Test("a login by a form leads to what is behind it")
  func login() throws {
    let form = """
      <title>Sign in</title><form method=post action=/in><input id=user name=user><input id=password type=password name=password>
      <select id=zone name=zone><option value=a>Here</option><option value=b>There</option></select><button>Go</button></form>
      """
    let server = try site(["/": form, "/home": "<title>Home</title><p class=item>Hello</p>"]) { request in
      guard request.target == "/in" else { return nil }
      let body = String(decoding: request.body, as: UTF8.self)
      let isRight = body == "user=ada&password=p%C3%A4ss+w%22ord&zone=b"
      return [.html("", status: "303 See Other", ["Location: /\(isRight ? "home" : "wrong?\(body)")"])]
    }
    try server.serving {
      let found = try visit("\(server.url)/") {
        $0.actions = [
          .fill("#user", "ada"), .fill("#password", "päss w\"ord"), .select("#zone", "There"),
          .click("button"),
          .find(".item"),
        ]
      }
      #expect(found.body.contains("Hello"))
      expect(try found.get().address?.path, equals: "/home")
      let byKey = try visit("\(server.url)/") {
        $0.actions = [
          .fill("#user", "ada"), .fill("#zone", "b"), .fill("#password", "päss w\"ord"), .press("Enter"),
          .find(".item"),
        ]
      }
      #expect(byKey.body.contains("Hello"))
    }
  }

  @Test("an application that changes its route is read where it has come to")
  func route() throws {
    let page = """
      <title>App</title><body><a id=go onclick="history.pushState({}, '', '/list');show()">List</a><div id=app></div><script>
      function show() { app.innerHTML = location.pathname == '/list' ? '<p class=item>At the list</p>' : 'start' }
      show()
      </script>
      """
    let server = try site(["/": page])
    try server.serving {
      let found = try visit("\(server.url)/") { ($0.actions, $0.selector) = ([.click("#go")], ".item") }
      #expect(found.body.contains("At the list"))
      expect(try found.get().address?.path, equals: "/list")
      let script = try visit("\(server.url)/") {
        $0.actions = [.script("go.click()"), .pause(.milliseconds(50))]
      }
      #expect(script.body.contains("At the list"))
    }
  }

  @Test("language, zone, name and size are as asked for, and what is blocked is not loaded")
  func environment() throws {
    let page = """
      <title>T</title><body><img src=/a.png><script src=/ads.js></script><script>
      document.body.append([navigator.language, new Date(0).getHours(), navigator.userAgent, innerWidth, innerHeight].join('|'))
      </script>
      """
    let server = try site(["/": page, "/ads.js": ""])
    try server.serving {
      let found = try visit("\(server.url)/") {
        ($0.language, $0.timeZone, $0.userAgent) = ("de-DE", "Asia/Tokyo", "flow-test/1")
        ($0.width, $0.height) = (390, 844)
        ($0.blockedKinds, $0.blockedAddresses) = ([.images], ["/ads*"])
      }
      #expect(found.body.contains("de-DE|9|flow-test/1|390|844"))
      let asked = server.received.map(\.target)
      #expect(!asked.contains("/a.png") && !asked.contains("/ads.js"))
      #expect(server.received.first?.headers["accept-language"]?.hasPrefix("de-DE") ?? false)
    }
  }

  @Test("a picture is kept, of the window or an element, also of a page that fails")
  func pictures() throws {
    let server = try site(["/": "<title>T</title><p id=p style='width:200px;height:50px'>text</p>"])
    try server.serving {
      let folder = try TemporaryFolder()
      var settings = Chromium.settings(in: folder.path)
      settings.pictures = folder["pictures"]
      let transport = BrowserTransport(over: NoTransport(), settings)
      let whole = try visit("\(server.url)/", through: transport) { $0.picture = "" }.get().picture
      let path = try #require(whole?.path)
      #expect(path.hasPrefix(folder["pictures/shop/"]) && path.hasSuffix(".png"))
      let bytes = try readFile(path)
      expect(Array(bytes.prefix(4)), equals: [0x89, 0x50, 0x4e, 0x47])
      // Width and height, in the header of the file.
      expect(Array(bytes[16..<24]), equals: [0, 0, 5, 0, 0, 0, 3, 32])
      let part = try visit("\(server.url)/", through: transport) { $0.picture = "#p" }.get().picture
      expect(Array(try readFile(part?.path ?? "")[16..<24]), equals: [0, 0, 0, 200, 0, 0, 0, 50])
      let failed = try visit("\(server.url)/", through: transport) {
        ($0.picture, $0.selector, $0.patience) = ("", ".none", .seconds(2))
      }
      expect(
        failed.failure,
        equals: "waited 2 s for .none; the page's title is “T”; a picture of it is "
          + folder["pictures/shop/failed/\(splitPath(path).name)"])
      let none = try visit("\(server.url)/") { $0.picture = "" }
      expect(none.failure, equals: "a screenshot is kept with the state, and this run has none")
    }
  }

  @Test("each page has cookies of its own")
  func cookies() throws {
    let server = try site(["/": "<script>document.cookie='a=1'</script>"])
    try server.serving {
      _ = try visit("\(server.url)/")
      _ = try visit("\(server.url)/")
      #expect(server.received.filter { $0.target == "/" }.allSatisfy { $0.headers["cookie"] == nil })
    }
  }
}
