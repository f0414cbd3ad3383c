import Engine
import JSON
import Language
import NATS
import Reactive
import Store
import System

/// The way of events to the tasks below a partition on other machines: a stream of packs, with a subject for each task.
///
///     PackStream(stream: "FLOW_PACKS", subject: "flow.pack.slips", servers: ["nats://a:4222"])
public struct PackStream: Sendable {
  public var stream: String
  /// The subject, to which a dot and the number of the task are added.
  public var subject: String
  public var servers: [String]

  public init(stream: String, subject: String, servers: [String]) {
    (self.stream, self.subject, self.servers) = (stream, subject, servers)
  }

  /// The end of the task above a partition.
  package func sink(by key: Expression, into tasks: Int) -> NodeSpec {
    NodeSpec(
      "packs", "send events to the tasks below a partition", hasDurableState: true, examples: [],
      .sink { _, context in try PackSink(self, by: key, into: tasks, context) })
  }

  /// The beginning of a task below it.
  public func source(of task: Int) -> NodeSpec {
    NodeSpec(
      "packs", "read the events of a task below a partition", isRepeatable: true, hasDurableState: true,
      examples: [],
      .stream { _, context in NATSSource(packs: self, of: task, context) })
  }

  func settings(_ context: String) -> NATSSettings { NATSSettings(servers: servers, name: "flow \(context)") }
}

/// A sink that sends each event to the task of its key, and the end of a poll to all, in packs that are stored with the
/// epoch and published when it is committed.
private final class PackSink: KeepingSink {
  /// A longer pack is continued by another.
  private static let longest = 256 << 10

  private let packs: PackStream
  private let key: Evaluation
  private let tasks: Int
  private let context: SinkContext
  private let outbox: Outbox
  private let publisher: Publisher
  private let hash = KeyHash()
  /// The packs of the turn, and their bytes so far.
  private var open: [Pack?]
  private var sizes: [Int]
  private var ordinals: [Int64]
  private let chain: String

  init(_ packs: PackStream, by key: Expression, into tasks: Int, _ context: SinkContext) throws {
    (self.packs, self.tasks, self.context) = (packs, tasks, context)
    self.key = context.evaluation(key)
    guard let outbox = context.outbox else { throw Sentence("packs need state") }
    self.outbox = outbox
    open = Array(repeating: nil, count: tasks)
    sizes = Array(repeating: 0, count: tasks)
    ordinals = Array(repeating: 0, count: tasks)
    let known = try outbox.notes(beginning: "chain").first?.value.string
    chain = known ?? String(UInt64(context.lane.world.random() * Double(1 << 53)), radix: 36)
    if known == nil { outbox.setNote(.string(chain), "chain") }
    for (name, value) in try outbox.notes(beginning: "ordinal ") {
      if let task = Int(name), task < tasks { ordinals[task] = value.string.flatMap { Int64($0) } ?? 0 }
    }
    // They are never given up: the tasks below wait for each.
    publisher = try Publisher(
      Publisher.Settings(
        window: 64, queue: 1024, attempts: .max, backoff: .milliseconds(300), longestBackoff: .seconds(2)),
      packs.settings(context.pipeline), context)
  }

  func take(_ event: Event) throws {
    let task = hash.task(of: try key.first(event) ?? .null, among: tasks)
    if let poll = open[task]?.poll, poll !== event.poll { close(task) }
    if sizes[task] > Self.longest { close(task, isContinued: true) }
    add(event, to: task)
  }

  private func add(_ event: Event, to task: Int) {
    if open[task] == nil { open[task] = Pack(chain: chain, ordinal: 0, task: task, of: event.poll) }
    open[task]?.add(event)
    sizes[task] += event.value.json.count
  }

  func endPoll(_ poll: Poll) throws {
    for task in 0..<tasks {
      if let before = open[task]?.poll, before !== poll { close(task) }
      if open[task] == nil { open[task] = Pack(chain: chain, ordinal: 0, task: task, of: poll) }
      open[task]?.endsPoll = true
      close(task)
    }
  }

  func endTurn() throws {
    for task in 0..<tasks { close(task) }
    try publisher.pump()
  }

  /// Stores the pack of a task with the epoch.
  private func close(_ task: Int, isContinued: Bool = false) {
    guard var pack = open[task] else { return }
    (open[task], sizes[task]) = (nil, 0)
    ordinals[task] += 1
    (pack.ordinal, pack.isContinued) = (ordinals[task], isContinued)
    outbox.setNote(.string("\(ordinals[task])"), "ordinal \(task)")
    outbox.put(pack.bytes, id: "\(packs.subject).\(task)/\(chain)-\(pack.ordinal)")
  }

  func wake() throws { try publisher.wake() }

  func finish(by deadline: Instant) throws {
    let rest = context.lane.world.speed.machine(for: deadline - context.lane.scheduler.now)
    try publisher.finish(by: MonotonicClock.now + rest)
  }

  // MARK: - The outbox

  func recover(_ entries: [OutboxEntry]) throws { try didCommit(entries) }

  func didCommit(_ entries: [OutboxEntry]) throws {
    let poll = Poll(source: context.name, at: context.lane.now)
    try publisher.submit(
      entries.map { entry in
        let task = Pack.task(of: entry.bytes) ?? 0
        let message = OutgoingMessage(
          subject: "\(packs.subject).\(task)", data: entry.bytes, event: Event(.null, poll))
        return Publisher.Item(message: message, id: entry.id, entry: entry)
      })
    try publisher.pump()
  }
}
