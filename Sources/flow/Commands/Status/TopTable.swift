import Engine
import Language

/// The nodes that `flow top` shows: rates between two snapshots, and the rates before.
struct TopTable {
  /// A node in a process.
  struct ID: Hashable {
    let process: Int
    let pipeline: String
    let node: String
  }

  struct Row {
    let id: ID
    let status: NodeStatus
    /// Events per second; nil before there are two snapshots, or where it does not apply.
    var eventsIn: Double?
    var eventsOut: Double?
    /// Seconds for each event, of late or else since the start.
    var time: Double?
    /// The latest rates, oldest first: of what the node emits, or takes where it is a sink.
    var history: [Double] = []
  }

  enum Key: String, CaseIterable {
    case order, name, `in`, out, dropped, errors, time, queue, keys

    /// How the view calls it.
    var title: String {
      switch self {
      case .order: "pipeline"
      case .name: "name"
      case .in: "in/s"
      case .out: "out/s"
      case .dropped, .errors, .time, .queue, .keys: rawValue
      }
    }
  }

  /// The rates that are kept of each node.
  static let historySize = 60

  /// In the order of processes and pipelines.
  private(set) var rows: [Row] = []
  private(set) var processes: [RunStatus] = []
  private(set) var silent: [Int] = []
  private var time: Double?

  /// Takes a snapshot, at a time in seconds of any clock.
  mutating func add(_ processes: [RunStatus], silent: [Int] = [], at time: Double) {
    let before = Dictionary(rows.map { ($0.id, $0) }) { first, _ in first }
    let seconds = self.time.map { time - $0 } ?? 0
    (self.processes, self.silent, self.time) = (processes, silent, time)
    rows = processes.flatMap { process in
      process.pipelines.filter { !$0.phase.isOver }.flatMap { pipeline in
        pipeline.nodes.map { node in
          let id = ID(process: process.process, pipeline: pipeline.name, node: node.name)
          return Self.row(id, node, after: before[id], seconds)
        }
      }
    }
  }

  private static func row(_ id: ID, _ node: NodeStatus, after before: Row?, _ seconds: Double) -> Row {
    var row = Row(id: id, status: node, history: before?.history ?? [])
    if let seconds = node.seconds, let count = node.eventsIn, count > 0 { row.time = seconds / Double(count) }
    guard let last = before?.status, seconds > 0 else { return row }
    /// Nil where counters begin again, as after a reload.
    func rate(_ now: Int?, _ then: Int?) -> Double? {
      guard let now, let then, now >= then else { return nil }
      return Double(now - then) / seconds
    }
    (row.eventsIn, row.eventsOut) = (rate(node.eventsIn, last.eventsIn), rate(node.eventsOut, last.eventsOut))
    if let spent = node.seconds, let then = last.seconds, let count = node.eventsIn,
      let counted = last.eventsIn,
      count > counted, spent >= then
    {
      row.time = (spent - then) / Double(count - counted)
    }
    if let rate = row.eventsOut ?? row.eventsIn { row.history = (row.history + [rate]).suffix(historySize) }
    return row
  }

  /// The rows, largest first but for names and the order of pipelines.
  func sorted(by key: Key, isReversed: Bool) -> [Row] {
    func value(_ row: Row) -> Double {
      switch key {
      case .order, .name: 0
      case .in: row.eventsIn ?? -1
      case .out: row.eventsOut ?? -1
      case .dropped: Double(row.status.dropped)
      case .errors: Double(row.status.errors)
      case .time: row.time ?? -1
      case .queue: Double(row.status.queue ?? -1)
      case .keys: Double(row.status.keys ?? -1)
      }
    }
    let order = rows.indices.sorted { left, right in
      switch key {
      case .order: return left < right
      case .name:
        let (first, second) = (rows[left].id.node, rows[right].id.node)
        return first == second ? left < right : first < second
      default:
        let (first, second) = (value(rows[left]), value(rows[right]))
        return first == second ? left < right : first > second
      }
    }
    return (isReversed ? order.reversed() : order).map { rows[$0] }
  }

  /// The pipeline of a row, and its process.
  func pipeline(of id: ID) -> PipelineStatus? {
    processes.first { $0.process == id.process }?.pipelines.first { $0.name == id.pipeline }
  }
}
