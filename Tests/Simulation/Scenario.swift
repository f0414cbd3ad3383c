import AllNodes
import Engine
import Language
import Reactive

/// The pipeline that a seed stands for, and what surrounds it.
struct Scenario {
  static let start = 1_700_000_000.0

  /// What the pipeline's source is.
  enum Kind: String, Sendable {
    /// Polled now and then.
    case polls
    /// Read on from a position, the only source.
    case pieces
    /// The same, and another that is polled.
    case piecesBesidePolls
  }

  enum Table: Sendable { case none, history, list }

  let seed: UInt64
  let kind: Kind
  let yaml: String
  let plan: Plan
  /// The steps, and the name that the pipeline gives each.
  let steps: [(step: TriedStep, name: String)]
  /// Where a partition divides them, and among how many tasks.
  let partition: (place: Int, tasks: Int)?
  /// Whether lives alternate between one lane and several.
  var changesLanes: Bool { seed % 2 == 1 }
  let hasOther: Bool
  let syncs: Bool
  /// Whether what a run has read and not committed is rotated away before the next: it begins with another file.
  var rotatesInput: Bool { seed % 16 == 5 && kind != .polls }
  /// Whether every other life finds another file in place of its input: what was not committed of the old one is gone.
  var replacesInput: Bool { seed % 16 == 13 && kind != .polls }
  /// Whether others rename the log, as logrotate does.
  var renamesOutput: Bool { seed % 8 == 6 }
  /// Whether a second signal ends lives in the middle of a turn.
  var abortsLives: Bool { seed % 16 == 2 || seed % 16 == 3 }
  /// Whether the clock is set by an hour, a day or a year, in both directions.
  var setsClockFar: Bool { seed % 16 == 4 }
  /// Whether the disk is full when lives are stopped, and stays so until they have ended.
  var fillsDiskAtStop: Bool { seed % 16 == 7 || seed % 16 == 11 }
  /// Whether a database has the events, one by one or as the list that they make.
  let table: Table
  let saying: Saying
  let other: Saying

  /// Whether polls fail for long, a step cannot read some rows, and the errors of the pipeline are written too.
  let hasOutages: Bool

  /// With `isDivided` a partition stands above the steps at the end of the chain that go by the key, if there are any.
  init(seed: UInt64, isDivided: Bool = false, hasOutages: Bool = false) throws {
    var dice = SplitMix64(seed: seed &* 2 &+ 1)
    self.seed = seed
    table = [.none, .history, .list][Int(seed % 3)]
    let drawn = [Kind.polls, .polls, .pieces, .pieces, .piecesBesidePolls][dice.below(5)]
    // Lists that are not all seen.
    let isNews = seed % 9 == 4
    kind = isNews || hasOutages ? .polls : drawn
    self.hasOutages = hasOutages
    hasOther = kind == .piecesBesidePolls || (kind == .polls && dice.below(2) == 0)
    var steps: [TriedStep] = dice.below(2) == 0 ? [.changes] : []
    for _ in 0..<dice.below(4) { steps.append(.random(&dice)) }
    if hasOther { steps.insert(.join, at: min(steps.count, 1 + dice.below(3))) }
    // What ends by the time in events ends while they are made again after a kill, several keys at one instant.
    let hasTimedWindow = seed % 5 == 3 && !isNews
    if hasTimedWindow { steps = [.timedWindow] + steps.filter { $0 != .changes } }
    if isNews { steps = [.news] + steps.filter { $0 != .changes } }
    // What follows the reports of changes has no rows of its own, which could be unreadable.
    if hasOutages, seed % 2 == 0 { steps.insert(.reading, at: 0) }
    partition = isDivided ? Self.partition(steps, seed) : nil
    syncs = dice.below(4) > 0
    saying = Saying(
      seed: dice.next(), keys: isNews ? 6 : 1 + dice.below(4), isNews: isNews,
      isSteady: kind == .polls && dice.below(3) > 0,
      start: Self.start, hasTies: seed % 4 == 3, hasOutages: hasOutages)
    other = Saying(
      seed: dice.next(), keys: 3, isNews: false, isSteady: false, start: Self.start, hasTies: false)

    var lines = ["name: p", "sources:"]
    lines.append(
      kind == .polls
        ? "  input: { generate: 1, every: \([3, 7, 20][dice.below(3)])s }" : "  input: { file: /in }")
    if hasOther { lines.append("  other: { generate: 1, every: \([3, 11][dice.below(2)])s }") }
    lines += ["streams:", "  main:", "    from: input", "    steps:"]
    var numbers: [Int] = []
    var count = 0
    for (place, step) in steps.enumerated() {
      if let partition, place == partition.place {
        lines.append("      - partition: { by: .k, into: \(partition.tasks) }")
        count += 1
      }
      numbers.append(count)
      var written = step.yaml(&dice)
      // Behind a step that makes other events of them it is unknown whether these go by the same key.
      if let partition, place >= partition.place {
        written = written.map {
          $0.hasPrefix("map") ? $0 : $0.replacing(": {", with: ": { key_within: true,", maxReplacements: 1)
        }
      }
      lines += written.map { "      - \($0)" }
      count += written.count
    }
    if steps.isEmpty { lines.append("      - map: .") }
    lines += ["sinks:"] + Self.sinks(&dice)
    if hasOutages { lines.append("  trouble: { jsonl: \(OutageCheck.path), from: errors }") }
    switch table {
    case .none: break
    case .history:
      lines.append(
        "  table: { sql: { url: '\(TableCheck.url)', table: events, columns: { event: . }, history: true, create: true }, from: main }"
      )
    case .list:
      lines.append(
        "  table: { sql: { url: '\(TableCheck.url)', table: events, key: .k, columns: { event: . }, "
          + "removed: .t? == \"removed\", create: true }, from: main }")
    }
    if !syncs { lines.append("fsync: never") }
    // A window that is flushed when a life is stopped ends before its time.
    if dice.below(3) == 0, !hasTimedWindow { lines.append("on_stop: flush") }
    if dice.below(3) == 0 {
      lines.append("epoch: { events: \([1, 7, 200][dice.below(3)]), time: \([50, 3000][dice.below(2)])ms }")
    }
    if dice.below(3) == 0 { lines.append("trace: \([3, 100][dice.below(2)]) events") }
    yaml = lines.joined(separator: "\n") + "\n"

    var reader = PipelineReader(catalog: .all)
    reader.read(path: "p.yaml", Array(yaml.utf8))
    guard let plan = reader.plans.first else { throw Complaint("\(reader.problems)\n\(yaml)") }
    self.plan = plan
    let names = plan.streams.first { $0.name == "main" }?.steps.map(\.name) ?? []
    self.steps = zip(steps, numbers).map { ($0, names[$1]) }
  }

  private static func partition(_ steps: [TriedStep], _ seed: UInt64) -> (place: Int, tasks: Int)? {
    let place = steps.lastIndex { !$0.goesByKey }.map { $0 + 1 } ?? 0
    return place < steps.count ? (place, [2, 3, 16][Int(seed / 2 % 3)]) : nil
  }

  private static func sinks(_ dice: inout SplitMix64) -> [String] {
    let rotation = dice.below(2) == 0 ? ", rotate: { size: \([900, 3000][dice.below(2)]), keep: 500 }" : ""
    let id = dice.below(4) == 0 ? ", event_id: id" : ""
    var sinks = ["  log: { jsonl: { path: /out/log.jsonl\(rotation)\(id) }, from: main }"]
    if dice.below(2) == 0 {
      let path = #"'/out/deep/\(.k)/it.jsonl'"#
      sinks.append("  each: { jsonl: { path: \(path), max_open: \(1 + dice.below(3)) }, from: main }")
    }
    sinks.append("  tell: { exec: [sh], from: main }")
    return sinks
  }

  /// What comes out at the end of the pipeline, by the name of its last step.
  var lastName: String { plan.streams.first { $0.name == "main" }?.steps.last?.name ?? "" }

  /// Whether complete polls reach the sinks whole.
  var sendsPolls: Bool { plan.sendsSnapshots("main") }

  var hasEach: Bool { plan.sinks.contains { $0.name == "each" } }
}
