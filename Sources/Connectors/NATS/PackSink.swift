import Delivery
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
      "packs", "send events to the tasks below a partition", hasDurableState: true,
      .sink { _, context in try PackSink(self, by: key, into: tasks, context) })
  }

  /// The beginning of a task below it.
  public func source(of task: Int) -> NodeSpec {
    NodeSpec(
      "packs", "read the events of a task below a partition", isRepeatable: true, hasDurableState: true,
      .stream { _, context in NATSSource(packs: self, of: task, context) })
  }

  func settings(_ context: String) -> NATSSettings { NATSSettings(servers: servers, name: "flow \(context)") }
}

/// A sink that sends each event to the task of its key, and the end of a poll to all, in packs that are stored with the
/// epoch and published when it is committed.
private final class PackSink: DeliverySink {
  /// A longer pack is continued by another.
  private static let longest = 256 << 10

  private let packs: PackStream
  private let key: Evaluation
  private let tasks: Int
  private let context: SinkContext
  private let outbox: Outbox
  let queue: DeliveryQueue
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
    let poll = Poll(source: context.name, at: context.lane.now)
    let transport = try NATSDelivery.transport(
      packs.settings(context.pipeline), timeout: .seconds(2), context
    ) { bytes in
      OutgoingMessage(
        subject: "\(packs.subject).\(Pack.task(of: bytes) ?? 0)", data: bytes, event: Event(.null, poll))
    }
    // They are never given up: the tasks below wait for each.
    var settings = DeliverySettings(
      concurrency: 64, queue: 1024, attempts: .max, backoff: .milliseconds(300), longestBackoff: .seconds(2))
    settings.holdsBack = true
    queue = DeliveryQueue(settings, context, transport)
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
    try queue.endTurn()
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
}
