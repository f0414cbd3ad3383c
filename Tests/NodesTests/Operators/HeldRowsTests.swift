import AllNodes
import Engine
import JSON
import Language
import Reactive
import Store
import TestSupport
import Testing
import Trials

/// A step that holds a row keeps that row, not the poll or the chunk of lines that it came in.
@Suite struct HeldRowsTests {
  static let steps = [
    "alarm: { when: .on, for: 10h, key: .id }",
    "batch: 1000",
    "changes: { key: .id, first: emit }\n- settle: 10h",
    "debounce: { key: .id, for: 10h }",
    "debounce: { key: .id, for: 10h, max_wait: 20h }",
    "delay: 10h",
    "distinct_until_changed: { key: .id, value: . }",
    "rate_limit: { count: 1, per: 10h, bound: 1000 }",
    "remind: { key: .id, at: '\"2030-01-01T00:00:00Z\"' }",
    "sample: { key: .id, every: 10h }",
    "scan: { key: .id, init: null, update: $event }",
    "sort: .id",
    "throttle: { key: '.more[0]', for: 10h, latest: true }",
    "window: { tumbling: 10h }",
    "window: { tumbling: 10h, key: .id, init: null, update: $event }",
  ]

  @Test("of many polls with one row held nothing else stays in memory", arguments: steps, [false, true])
  func held(_ step: String, isDurable: Bool) throws {
    for shape in ["", "- map: { id: .id, on: .on, more: .more, whole: . }\n"] {
      let plan = try Trial("- filter: .on\n\(shape)- \(step)").plan
      try check(plan, from: "input", isPolled: !step.hasPrefix("sort"), isDurable)
    }
  }

  @Test("nor of those that events are joined with", arguments: [false, true])
  func join(isDurable: Bool) throws {
    let plan = try Trial("join: { with: other, key: .id, other_key: .id }", other: "other").plan
    try check(plan, from: "other", isPolled: true, isDurable)
  }

  private func check(_ plan: Plan, from name: String, isPolled: Bool, _ isDurable: Bool) throws {
    let left = Journal<Int>()
    let state = try TemporaryState()
    let clock = VirtualScheduler()
    var options = RunOptions(world: .real, log: .silent, screen: silentScreen)
    options.world.wallClock = { Double(clock.now.nanoseconds) / 1e9 }
    if isDurable {
      options.state = { _ in try StateFile(path: state.path, .init(database: .init(sync: .never))) }
    }
    options.source = { source in
      .script(endsWithScript: false) { _ in
        LargePolls(source.name == name ? LargePolls.count : 0, isPolled, left)
      }
    }
    let run = try PipelineRun(plan, options, clock: clock) { _ in }
    run.start()
    clock.advance(by: .seconds(LargePolls.count * 60 + 60))
    run.abort()
    clock.advance(by: .zero)
    // A parser of lines keeps eight documents to use again.
    let most = try #require(left.entries.max())
    #expect(most <= 12, "documents of \(LargePolls.count)")
  }
}

/// Polls of which one row in each is on: of a long list, or a line that came by itself into the memory for many.
private final class LargePolls: ScriptSource {
  static let count = 60

  private final class Document {
    weak var document: TapeDocument?
    init(_ document: TapeDocument) { self.document = document }
  }

  private let most: Int
  private let isPolled: Bool
  private let left: Journal<Int>
  private var number = 0
  private var documents: [Document] = []
  private let parser = ChunkParser(size: 1 << 18)
  private var line = TextBuffer(capacity: 1 << 18)

  init(_ most: Int, _ isPolled: Bool, _ left: Journal<Int>) {
    (self.most, self.isPolled, self.left) = (most, isPolled, left)
  }

  func next() throws -> ScriptedAnswer? {
    if number == most {
      // The document of a line may be that of a line before.
      left.note(Set(documents.compactMap { $0.document.map { ObjectIdentifier($0) } }).count)
      return nil
    }
    number += 1
    let rows = number % 2 == 0 ? try list() : aLine()
    if case .view(let document, _) = rows[0] { documents.append(Document(document)) }
    return ScriptedAnswer(at: Double(number) * 60, isPolled ? .poll(rows) : .events(rows))
  }

  private func row(_ place: Int) -> String {
    #"{"id":"row \#(place) of \#(number)","on":\#(place == 0),"more":["one text",{"n":1.50}]}"#
  }

  private func list() throws -> [Value] {
    try Value.parse("[" + (0..<100).map(row).joined(separator: ",") + "]").items ?? []
  }

  private func aLine() -> [Value] {
    let text = Array(row(0).utf8)
    _ = line.memory.update(fromContentsOf: text)
    var values: [Value] = []
    _ = parser.parse(&line, 0..<text.count, of: text.count, eachOnItsLine: true, into: &values)
    return values
  }
}
