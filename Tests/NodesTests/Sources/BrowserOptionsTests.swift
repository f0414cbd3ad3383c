import Expectations
import Fetch
import JSON
import Language
import Synchronization
import Testing
import Trials

@testable import Delivery
@testable import Nodes

@Suite struct BrowserOptionsTests {
  private func problems(_ yaml: String) -> String {
    var reader = PipelineReader(catalog: .all)
    _ = reader.read(
      path: "p.yaml",
      Array(
        "sources: { in: { http: { url: 'https://example.org', \(yaml) } } }\nsteps: []\nsinks: { it: null }\n"
          .utf8))
    return "\(reader.problems)"
  }

  @Test("what does not fit a browser is refused with a sentence")
  func mistakes() {
    let html = "decode: { html: { select: p } }"
    expect(problems("browser: true, \(html)"), equals: "")
    expect(problems("browser: false"), equals: "")
    expect(problems("browser: { response: '/api/*' }"), equals: "")
    let table = [
      ("browser: true", "a browser gives the page as HTML, not as JSON"),
      ("browser: true, \(html), method: post", "method has no effect with browser"),
      ("browser: true, \(html), headers: { A: b }", "headers has no effect with browser"),
      ("browser: true, \(html), bearer: abcd", "log in by actions, or keep a profile"),
      ("browser: { block: [image] }, \(html)", "did you mean images?"),
      ("browser: { viewport: big }, \(html)", "“big” is no size of a window"),
      ("browser: { actions: [{ click: a, press: Enter }] }, \(html)", "an action is one thing to do"),
      ("browser: { actions: [{}] }, \(html)", "an action is one thing to do"),
      ("browser: { actions: [{ press: enter }] }, \(html)", "did you mean Enter?"),
      ("browser: { actions: [{ scroll: down }] }, \(html)", "scroll is end, or how many times"),
      ("browser: { wait: { fro: a } }, \(html)", "did you mean “for”?"),
      ("browser: { banners: accept }, \(html)", "dismiss"),
    ]
    for (yaml, words) in table { #expect(problems(yaml).contains(words), "\(yaml): \(problems(yaml))") }
  }

  @Test("the options make the order of each poll, and a secret stays one")
  func orders() throws {
    let found = Mutex<PageOrder?>(nil)
    let trial = try WebTrial(
      """
      http: { url: 'http://a/x', decode: { html: { select: p } }, browser: { wait: { for: .item, idle: true, time: 1s, at_most: 3s }, \
      actions: [{ fill: { '#u': ada } }, { click: '#go' }, { wait: 2s }, { wait: .in }, { scroll: end }, { scroll: 3 }, \
      { select: { '#s': new } }, { press: Enter }, { script: 'go()' }], banners: dismiss, block: [images, '/ads*'], viewport: 390x844, \
      user_agent: me, language: de, time_zone: UTC, profile: kept } }
      """
    ) { order in
      found.withLock { $0 = order.page }
      return .init("<p>1</p>")
    }
    try expect(trial.rows(), equals: #"["1"]"#)
    let page = try #require(found.withLock { $0 })
    expect(
      page.actions,
      equals: [
        .fill("#u", "ada"), .click("#go"), .pause(.seconds(2)), .find(".in"), .scroll(times: nil),
        .scroll(times: 3),
        .select("#s", "new"), .press("Enter"), .script("go()"),
      ])
    expect(page.selector, equals: ".item")
    #expect(page.isIdle && page.dismissesBanners)
    expect(page.pause, equals: .seconds(1))
    expect(page.patience, equals: .seconds(3))
    expect(page.blockedKinds, equals: [.images])
    expect(page.blockedAddresses, equals: ["/ads*"])
    expect([page.width, page.height], equals: [390, 844])
    expect(
      [page.userAgent, page.language, page.timeZone, page.profile], equals: ["me", "de", "UTC", "kept"])
  }
}
