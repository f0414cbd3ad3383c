import Expectations
import AllNodes
import JSON
import Language
import Reactive
import Testing

@testable import Engine
@testable import Page

/// A page over a run that a test describes.
private final class RunFixture: RunMonitor {
  static let yaml = """
    name: slips
    description: What slips
    sources:
      upcoming: { http: { url: "https://a.example/list?key=hunter2-xyz" }, every: 6h }
    steps:
      - changes: .id
      - settle: 2m
    sinks:
      screen: console
    trace: 10 events
    """

  private struct State {
    var status: RunStatus
    var snapshots = 0
    var taps: [EventTap] = []
    var polled: [String] = []
    var settled: [String] = []
    var repeated: [Unacknowledged] = []
  }

  let clock = VirtualScheduler()
  private let state: Locked<State>
  let plan: Plan
  let secrets: Secrets

  init() throws {
    var reader = PipelineReader(catalog: .all)
    reader.read(path: "slips.yaml", Array(Self.yaml.utf8))
    plan = try #require(reader.plans.first)
    var secrets = Secrets()
    secrets.insert("hunter2-xyz")
    self.secrets = secrets
    var pipeline = PipelineStatus(name: "slips", path: "slips.yaml", phase: .running, started: 1_767_222_000)
    var source = SourceStatus(name: "upcoming", kind: "http", isPolled: true)
    source.polls = 1
    source.lastPoll = .init(at: 1_767_225_500, rows: 3, coverage: "complete", isStale: false)
    source.nextPoll = 1_767_225_630
    pipeline.sources = [source]
    let roles: [(String, String, NodeStatus.Role)] = [
      ("upcoming", "http", .source), ("changes", "changes", .step), ("settle", "settle", .step),
      ("screen", "console", .sink),
    ]
    pipeline.nodes = roles.map { NodeStatus(name: $0.0, kind: $0.1, role: $0.2) }
    pipeline.nodes[2].due = 1_767_225_640
    var status = RunStatus(process: 1, version: "1", at: 1_767_225_600, pipelines: [pipeline])
    status.budgets = [BudgetStatus(host: "a.example", limit: 15, period: 3600, remaining: 4)]
    state = Locked(State(status: status))
  }

  func change(_ change: (inout PipelineStatus) -> Void) {
    state.withLock { change(&$0.status.pipelines[0]) }
  }

  var snapshots: Int { state.withLock { $0.snapshots } }
  var taps: Int { state.withLock { $0.taps.count } }
  var polled: [String] { state.withLock { $0.polled } }

  /// An event, or the end of a poll, at a node of the run.
  func pass(_ node: String, _ json: String?, at time: Double) {
    let lane = Lane(on: clock, world: .real)
    let poll = Poll(source: "upcoming", number: 1, at: time)
    lane.turn {
      for tap in state.withLock({ $0.taps }) {
        let event = json.flatMap { try? Value.parse($0) }.map { Event($0, poll) } ?? .end(of: poll)
        tap.record(event, at: time, of: "slips", node)
      }
    }
  }

  func run() -> PageRun { PageRun(self, on: clock) }

  // MARK: - What a monitor sees

  func status() -> RunStatus {
    state.withLock { state in
      state.snapshots += 1
      return state.status
    }
  }

  func plan(of pipeline: String) -> (plan: Plan, secrets: Secrets)? {
    pipeline == "slips" ? (plan, secrets) : nil
  }

  func poll(_ source: String, of pipeline: String) -> Bool {
    state.withLock { $0.polled.append("\(pipeline)/\(source)") }
    return source == "upcoming"
  }

  func attach(_ tap: EventTap, to pipeline: String, _ nodes: Set<String>?) {
    state.withLock { $0.taps.append(tap) }
  }

  func detach(_ tap: EventTap) { state.withLock { $0.taps.removeAll { $0 === tap } } }

  func heldKeys(of node: String, in pipeline: String) -> [HeldKey] {
    node == "changes" ? [HeldKey(key: "7", value: #"{"name":"<i>hunter2-xyz"}"#)] : []
  }

  func deadLetters(of sink: String, in pipeline: String) -> [DeadLetterStatus] {
    [
      DeadLetterStatus(
        number: 7, at: 1_767_225_000, attempts: 5,
        reason: "status 500 from https://a.example?key=hunter2-xyz",
        id: "slips/screen/a-1", content: #"{"text":"<b> hunter2-xyz"}"#)
    ]
  }

  func resolve(_ letters: Set<Int64>?, of sink: String, in pipeline: String, by way: DeadLetterEnd) -> Bool {
    let numbers = letters.map { $0.sorted().map(String.init).joined(separator: ",") } ?? "all"
    state.withLock { $0.settled.append("\(pipeline)/\(sink) \(way) \(numbers)") }
    return sink == "screen"
  }

  var settled: [String] { state.withLock { $0.settled } }

  func why(_ key: String, of pipeline: String) -> [String]? {
    key == "<b>" ? ["2026-01-01T00:00:00Z  ended by settle", "  settle  <i>"] : nil
  }

  func repeats(_ entries: [Unacknowledged]) { state.withLock { $0.repeated = entries } }

  func repeated(by sink: String, in pipeline: String) -> [Unacknowledged]? {
    sink == "screen" ? state.withLock { $0.repeated } : []
  }

  func acknowledge(_ key: String, in pipeline: String) -> Bool {
    state.withLock { state in
      let count = state.repeated.count
      state.repeated.removeAll { $0.key == key }
      return state.repeated.count < count
    }
  }
}

@Suite("Pages about pipelines")
struct PipelinePageTests {
  private let fixture: RunFixture
  private let run: PageRun
  private let router: PageRouter

  init() throws {
    fixture = try RunFixture()
    run = fixture.run()
    let hub = PageHub(now: { 1_767_225_600 }, run: run)
    router = PageRouter(hub, PageGuard(.standard, token: nil, hasPictures: false))
  }

  private func get(_ path: String) -> PageAnswer { ask("GET", path) }

  private func ask(_ method: String, _ path: String, body: String = "", origin: String? = nil)
    -> PageAnswer
  {
    var headers = ["host": "127.0.0.1:8787"]
    headers["origin"] = origin
    return router.answer(PageRequest(method: method, path: path, headers: headers, body: Array(body.utf8)))
  }

  @Test("the overview shows each pipeline with its polls, what is wrong, and the budgets")
  func overview() {
    fixture.change { pipeline in
      pipeline.nodes[2].keys = 2
      pipeline.sources[0].failure = .init(since: 1_767_225_000, polls: 12, reason: "<b>503</b>")
    }
    let text = get("/").text
    #expect(text.contains("href=\"/p/slips\">slips</a>") && text.contains("1 problem"))
    #expect(!text.contains("holds") && text.contains("&lt;b&gt;503&lt;/b&gt;"))
    #expect(get("/p/slips").text.contains("settle holds 2 keys"))
    #expect(text.contains("data-age=\"2025-12-31T23:58:20Z\">1 min ago</time>"))
    #expect(text.contains("data-until=\"2026-01-01T00:00:30Z\" data-by=\"now\">in 30 s</time>"))
    #expect(text.contains("a.example") && text.contains("data-stream=\"/live/p\""))
  }

  @Test("a source that reads on is shown as connected, or failing")
  func connected() {
    var live = SourceStatus(name: "live", kind: "http", isPolled: false)
    live.connectedSince = 1_767_225_000
    var lost = SourceStatus(name: "lost", kind: "http", isPolled: false)
    lost.failure = .init(since: 1_767_225_000, polls: 2, reason: "cut")
    fixture.change { $0.sources += [live, lost] }
    let text = get("/p/slips").text
    #expect(text.contains("connected since <time"))
    #expect(text.contains("reads as it comes, failing since <time"))
  }

  @Test("a pipeline's page has its graph with figures, whose boxes lead to the nodes, and no secrets")
  func graph() {
    fixture.change { ($0.nodes[1].eventsIn, $0.nodes[1].eventsOut) = (338, 0) }
    let text = get("/p/slips").text
    #expect(text.contains("<a href=\"/p/slips/changes\"><g class=\"step\""))
    #expect(text.contains("338 in, 0 out") && text.contains("What slips"))
    #expect(text.contains("key=***") && !text.contains("hunter2"))
    #expect(!text.contains("style=") && !text.contains("<style"), "the policy allows neither")
    #expect(get("/p/other").status == 404 && get("/p/slips/other").status == 404 && get("/p").status == 404)
  }

  @Test("a pipeline that keeps a trace explains what became of a key, and a row leads there")
  func why() throws {
    #expect(get("/p/slips").text.contains(#"<input type="search" name="why" value=""#))
    let answer = router.answer(
      PageRequest(
        method: "GET", path: "/p/slips", query: [("why", "<b>")], headers: ["host": "127.0.0.1:8787"],
        body: []))
    #expect(answer.text.contains(#"name="why" value="&lt;b&gt;""#))
    #expect(answer.text.contains("ended by settle\n  settle  &lt;i&gt;</pre>"), "\(answer.text)")
    let none = router.answer(
      PageRequest(
        method: "GET", path: "/p/slips", query: [("why", "a")], headers: ["host": "127.0.0.1:8787"], body: [])
    )
    #expect(none.text.contains("slips has no trace yet"), "\(none.text)")
    let hub = PageHub(now: { 1_767_225_600 }, run: run)
    let row = PageRow(key: "a b", commit: 1, content: .record([("title", "A")]))
    let view = hub.add(
      pipeline: "slips", sink: "page", PageForm(layout: .list, name: "List"), rows: [row], stateID: "x")
    let page = PageDocuments(hub, hasPictures: false).page(of: row, in: view, nil).string
    #expect(page.contains(#"href="/p/slips?why=a%20b""#), "\(page)")
  }

  @Test("a node's page has its counters, its place in the file and its documentation")
  func node() {
    fixture.change { pipeline in
      (pipeline.nodes[1].eventsIn, pipeline.nodes[1].seconds) = (4, 0.000_048)
    }
    let text = get("/p/slips/changes").text
    #expect(text.contains("slips.yaml:6:5") && text.contains("key: .id") && text.contains("12µs"))
    #expect(text.contains("sudden_loss"))
    #expect(get("/p/slips/settle").text.contains("Emits what it holds"))
    #expect(get("/p/slips/upcoming").text.contains("every 6h"))
  }

  @Test("marbles: events and ends of polls where they passed, and what is due ahead of now")
  func marbles() throws {
    _ = get("/p/slips")
    expect(fixture.taps, equals: 1)
    fixture.pass("upcoming", "{\"id\":1}", at: 1_767_225_595)
    fixture.pass("changes", "{\"key\":\"<hunter2-xyz>\"}", at: 1_767_225_500)
    fixture.pass("changes", "2", at: 1_767_225_501)
    fixture.pass("settle", nil, at: 1_767_225_400)
    clock.advance(by: .seconds(1))
    let text = get("/p/slips").text
    #expect(text.contains("aria-label=\"upcoming: 1 event, and one is due within a minute\""))
    #expect(
      text.contains("aria-label=\"changes: 2 events\"") && text.contains("class=\"many\" d=\"M99 5h.01\""))
    #expect(text.contains("class=\"one\" d=\"M118 5h.01\"") && text.contains("class=\"poll\" d=\"M79 2v6\""))
    // The next poll in 30 seconds, and what settle holds in 40.
    #expect(
      text.contains("class=\"due\" d=\"M125 5h.01\"") && text.contains("class=\"due\" d=\"M127 5h.01\""))
    fixture.pass("changes", "\"\(String(repeating: "x", count: 400))\"", at: 1_767_225_502)
    clock.advance(by: .seconds(1))
    let node = get("/p/slips/changes").text
    #expect(node.contains("&lt;***&gt;"), "events are text, without secrets")
    let beginning = String(repeating: "x", count: 199)
    #expect(node.contains("<summary><code>&quot;\(beginning)…</code></summary><code>&quot;\(beginning)x"))
  }

  private var clock: VirtualScheduler { fixture.clock }

  @Test("a tab receives the parts that have changed, each second, and none that has not")
  func live() throws {
    guard case .stream(var feed) = get("/live/p/slips/").body else { return #expect(Bool(false)) }
    let calls = Locked(0)
    let leave = feed.join { calls.withLock { $0 += 1 } }
    let first = String(decoding: feed.next(), as: UTF8.self)
    #expect(first.hasPrefix("retry: 1000\n\nevent: parts\ndata: {\"state\":") && first.contains("\"lanes\":"))
    #expect(feed.next().isEmpty)
    fixture.change { $0.nodes[3].eventsIn = 7 }
    clock.advance(by: .seconds(1))
    expect(calls.withLock { $0 }, equals: 1)
    let second = String(decoding: feed.next(), as: UTF8.self)
    #expect(
      second.contains("\"nodes\":") && second.contains("\"graph\":") && !second.contains("\"sources\":"))
    leave()
    clock.advance(by: .seconds(70))
    expect(calls.withLock { $0 }, equals: 1)
  }

  @Test("without readers there is no work, and a trace ends a minute after the last look")
  func idle() {
    #expect(!run.isAtWork && fixture.taps == 0)
    _ = get("/p/slips")
    #expect(run.isAtWork && fixture.taps == 1)
    let snapshots = fixture.snapshots
    clock.advance(by: .seconds(59))
    expect(fixture.taps, equals: 1)
    clock.advance(by: .seconds(5))
    #expect(fixture.taps == 0 && !run.isAtWork)
    expect(fixture.snapshots, equals: snapshots, "a trace takes none")
  }

  @Test("readers share a snapshot, and one that takes long is kept for longer")
  func snapshots() {
    for _ in 0..<5 { _ = get("/") }
    expect(fixture.snapshots, equals: 1)
    clock.advance(by: .milliseconds(1100))
    _ = get("/")
    expect(fixture.snapshots, equals: 2)
  }

  @Test("a source is polled on request, by a form of this page only")
  func poll() {
    let answer = ask("POST", "/p/slips", body: "source=upcoming", origin: "http://127.0.0.1:8787")
    #expect(answer.status == 303 && answer.header("Location") == "/p/slips")
    expect(fixture.polled, equals: ["slips/upcoming"])
    expect(ask("POST", "/p/slips", body: "source=other").status, equals: 409)
    expect(
      ask("POST", "/p/slips", body: "source=upcoming", origin: "https://evil.example").status, equals: 403)
    expect(ask("GET", "/p/slips", body: "source=upcoming").status, equals: 200)
    expect(fixture.polled, equals: ["slips/upcoming", "slips/other"])
  }

  @Test("the page of a sink lists its dead letters without secrets, and retries and drops them")
  func deadLetters() {
    #expect(!get("/p/slips/screen").text.contains("Dead letters</h2>"))
    fixture.change { $0.nodes[3].deadLetters = 3 }
    fixture.clock.advance(by: .seconds(2))
    let text = get("/p/slips/screen").text
    #expect(text.contains("Dead letters</h2>") && text.contains("&lt;b&gt; ***") && !text.contains("hunter2"))
    #expect(text.contains(#"aria-label="Drop dead letter 7""#) && text.contains("The oldest 1 of 3"))
    let origin = "http://127.0.0.1:8787"
    let answer = ask("POST", "/p/slips/screen", body: "number=7&way=drop", origin: origin)
    #expect(answer.status == 303 && answer.header("Location") == "/p/slips/screen")
    expect(ask("POST", "/p/slips/screen", body: "way=retry", origin: origin).status, equals: 303)
    expect(fixture.settled, equals: ["slips/screen drop 7", "slips/screen retry all"])
    // A request that names no way or no number, and one from elsewhere, change nothing.
    for body in ["number=7", "number=x&way=drop", "way=burn"] {
      expect(ask("POST", "/p/slips/screen", body: body, origin: origin).status, equals: 409)
    }
    expect(
      ask("POST", "/p/slips/screen", body: "way=retry", origin: "http://evil.example").status, equals: 403)
    expect(ask("POST", "/p/slips/changes", body: "way=retry", origin: origin).status, equals: 409)
    expect(fixture.settled.count, equals: 3)
  }

  @Test("the page of a sink lists what it repeats until it is acknowledged, and acknowledges it")
  func repeated() {
    #expect(!get("/p/slips/screen").text.contains("Repeated until acknowledged"))
    fixture.repeats([
      Unacknowledged(key: "sda1", title: "<b> 97 % of sda1", since: 1_767_225_000, count: 3),
      Unacknowledged(key: "hunter2-xyz", title: "x", since: 1_767_225_300, count: 1),
    ])
    let text = get("/p/slips/screen").text
    #expect(text.contains("Repeated until acknowledged</h2>") && text.contains("&lt;b&gt; 97 % of sda1"))
    #expect(text.contains("3 times") && text.contains("once") && text.contains("10 min ago"))
    // A secret is neither shown nor part of a form.
    #expect(text.contains(#"aria-label="Acknowledge sda1""#) && !text.contains("hunter2"))
    #expect(!get("/p/slips/changes").text.contains("Repeated until acknowledged"))
    let origin = "http://127.0.0.1:8787"
    expect(
      ask("POST", "/p/slips/screen", body: "key=sda1", origin: "http://evil.example").status, equals: 403)
    let answer = ask("POST", "/p/slips/screen", body: "key=sda1", origin: origin)
    #expect(answer.status == 303 && answer.header("Location") == "/p/slips/screen")
    #expect(!get("/p/slips/screen").text.contains("sda1"))
    // It is acknowledged already.
    expect(ask("POST", "/p/slips/screen", body: "key=sda1", origin: origin).status, equals: 409)
  }

  @Test("the page of a step shows the state that it holds, or its beginning, without secrets")
  func held() {
    fixture.change { $0.nodes[1].keys = 40 }
    let text = get("/p/slips/changes").text
    #expect(text.contains("State</h2>") && text.contains("{&quot;name&quot;:&quot;&lt;i&gt;***&quot;}"))
    #expect(text.contains("The first 1 of 40 keys") && !text.contains("hunter2"))
    #expect(!get("/p/slips/settle").text.contains("State</h2>"))
  }

  @Test("a view polls its sources and stays, or says why that is not possible now")
  func refresh() {
    let view = router.hub.add(
      pipeline: "slips", sink: "screen", PageForm(layout: .list, name: "Slips"), stateID: "a")
    let address = "/v/slips/screen"
    let text = get(address).text
    #expect(view.path == ["slips", "screen"] && text.contains(">Poll now</button>"))
    let answer = ask(
      "POST", "/p/slips", body: "source=upcoming&back=slips%2Fscreen", origin: "http://127.0.0.1:8787")
    #expect(answer.status == 303 && answer.header("Location") == address)
    expect(fixture.polled, equals: ["slips/upcoming"])
    fixture.change { pipeline in
      pipeline.sources[0].wait = .init(reason: "waiting for the budget of a.example", until: 1_767_226_000)
      pipeline.sources[0].failure = .init(since: 1_767_225_000, polls: 3, reason: "status 500")
      pipeline.sources[0].tooOld = 1_767_225_600 - 7200
    }
    fixture.clock.advance(by: .seconds(2))
    let waiting = get(address).text
    #expect(
      waiting.contains("upcoming: waiting for the budget of a.example, ")
        && !waiting.contains("Poll now"))
    #expect(waiting.contains("upcoming failing since "))
    #expect(waiting.contains("upcoming is too old: no good answer for 2h"))
  }

  @Test("a poll that is overdue is due now, and a source that has never answered says since when")
  func overdue() {
    fixture.change { pipeline in
      pipeline.sources[0].lastPoll = nil
      pipeline.sources[0].nextPoll = 1_767_225_598
      pipeline.sources[0].failure = .init(since: 1_767_225_000, polls: 3, reason: "status 500")
    }
    let text = get("/p/slips").text
    #expect(text.contains("data-until=\"2025-12-31T23:59:58Z\" data-by=\"now\">now</time>"))
    #expect(text.contains("no poll yet, failing since <time"))
    #expect(text.contains(">2025-12-31 23:50 UTC</time>"))
  }

  @Test("the graph is a tree on a narrow screen, without secrets")
  func tree() {
    let text = get("/p/slips").text
    #expect(text.contains("<h2 class=\"part\">Timeline</h2>"))
    let tree = text.components(separatedBy: "<pre class=\"scroll pad tree\"").last ?? ""
    #expect(
      tree.contains(">upcoming  http  ")
        && tree.contains("│ changes  .id\n│ settle   2m\n└─ screen  console</pre>"))
    #expect(!tree.contains("hunter2"))
  }
}
