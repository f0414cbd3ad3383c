import Expectations
import Fetch
import Loopback
import Testing

@testable import Browser

/// A page with all that a pipeline could take of it.
@Suite(.enabled(if: Chromium.isWanted, "\(Chromium.skipped)"), .serialized) struct PageSurveyTests {
  @Test("elements that are shown have numbers and boxes, and the JSON of requests is kept")
  func survey() throws {
    let server = try LoopbackServer { request in
      switch request.target {
      case "/":
        [
          .html(
            """
            <!DOCTYPE html><title>S</title><body style="margin:0"><p id=a style="margin:0;height:50px">A</p>
            <p style="display:none">hidden</p><div id=all></div><script>
            customElements.define('x-part', class extends HTMLElement { constructor() { super(); window.made = (window.made || 0) + 1 } });
            all.innerHTML = '<x-part>x</x-part>';
            fetch('/api').then(it => it.json()).then(it => { all.append(it[0].name) });
            fetch('/text').then(it => it.text());
            </script>
            """)
        ]
      case "/api": [.reply(#"[{"name":"Ägnes"}]"#, ["Content-Type: application/json"])]
      case "/text": [.reply("no JSON", ["Content-Type: text/plain"])]
      default: [.html("no", status: "404 Not Found")]
      }
    }
    try server.serving {
      var order = PageOrder(source: "shop")
      order.keepsData = true
      order.patience = .seconds(60)
      let found = try SharedBrowser.shared.get().transport.survey(Address("\(server.url)/"), order)
      expect(found.status, equals: 200)
      expect(found.data.map { String(decoding: $0.body, as: UTF8.self) }, equals: [#"[{"name":"Ägnes"}]"#])
      expect(found.data.first?.address, equals: "\(server.url)/api")
      let document = String(decoding: found.document, as: UTF8.self)
      #expect(document.contains("Ägnes") && document.hasPrefix("<!DOCTYPE html>"))
      let number = try #require(document.firstMatch(of: /id="a"[^>]* data-flow-\w+="(\d+)"/)?.1)
      try expect(found.boxes[#require(Int(number))], equals: [0, 0, 1280, 50])
      #expect(document.contains("<p style=\"display:none\">"))
      expect(found.areas.count, equals: found.boxes.count)
      expect(found.picture.prefix(4).elementsEqual("RIFF".utf8), equals: true)
      expect(found.hasBanner, equals: false)
    }
  }
}
