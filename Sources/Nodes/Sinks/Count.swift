import JSON
import Engine
import Language
import struct Reactive.Instant

/// `count`: counts events and prints the totals.
package let count = NodeSpec(
  "count", "count events, optionally by key, and print the totals at the end",
  reference: .init(PackageResources.count_md),
  options: AnyOption.list(
    CountOptions.by, CountOptions.key, CountOptions.eachPoll, CountOptions.maxKeys),
  shorthand: "by",
  check: { options, checker in
    if options.isGiven(CountOptions.by), options.isGiven(CountOptions.key) {
      checker.report("by and key are the same option", at: options.place(of: CountOptions.key))
    }
  },
  .sink { options, context in
    let key = options[CountOptions.by] ?? options[CountOptions.key]
    return Count(
      by: key.map { context.evaluation($0) }, eachPoll: options[CountOptions.eachPoll],
      maxKeys: options[CountOptions.maxKeys], context.screen)
  })

private enum CountOptions {
  static let by = Option.optional("by", .expression, "the key to count by", example: ".type")
  static let key = Option.optional(
    "key", .expression, "the same as `by`, as other nodes have it", example: ".id")
  static let eachPoll = Option(
    "each_poll", .boolean, default: "false", "whether to also print the totals at the end of each poll")
  static let maxKeys = Option(
    "max_keys", .integer(1...1_000_000), default: "10000", "how many keys are counted separately")
}

private final class Count: Sink {
  private let key: Evaluation?
  private let eachPoll: Bool
  private let maxKeys: Int
  private let screen: Screen
  private var total = 0
  private var places: [Key: Int] = [:]
  private var counts: [(key: Key, count: Int)] = []
  private var others = 0
  private var output: [UInt8] = []
  private var isFinished = false

  init(by key: Evaluation?, eachPoll: Bool, maxKeys: Int, _ screen: Screen) {
    self.key = key
    self.eachPoll = eachPoll
    self.maxKeys = maxKeys
    self.screen = screen
  }

  func take(_ event: Event) throws {
    if let key { add(try key.first(event) ?? .null) }
    total += 1
  }

  private func add(_ value: Value) {
    let key = Key(value) ?? Key(bytes: value.json)
    if let place = places[key] {
      counts[place].count += 1
    } else if counts.count < maxKeys {
      places[key] = counts.count
      counts.append((key, 1))
    } else {
      others += 1
    }
  }

  func endPoll(_ poll: Poll) {
    if eachPoll { output += line }
  }

  func endTurn() throws {
    if output.isEmpty { return }
    let bytes = output
    output = []
    try screen.write(bytes)
  }

  func finish(by deadline: Instant) throws {
    if isFinished { return }
    isFinished = true
    try screen.write(line)
  }

  private var line: [UInt8] {
    var totals = Value.emptyObject
    totals.setMember("count", .number(total))
    if key != nil { totals.setMember("by", byKey) }
    return totals.shown(on: screen) + [UInt8(ascii: "\n")]
  }

  private var byKey: Value {
    var object = Value.emptyObject
    // Ties are in order of first appearance, so that the order is the same in each run.
    let order = counts.enumerated().sorted {
      ($1.element.count, $0.offset) < ($0.element.count, $1.offset)
    }
    for (_, entry) in order { object.setMember(entry.key, .number(entry.count)) }
    if others > 0 {
      let rest = Key("…")
      let same = places[rest].map { counts[$0].count } ?? 0
      object.setMember(rest, .number(others + same))
    }
    return object
  }
}
