import Engine
import JSON
import NATS
import Reactive
import System

/// The packs of a task as messages of a stream.
final class PackContent: StreamContent {
  /// A pack that is missing for so long is reported, and again: a sender that was killed has a successor sooner.
  private static let reportDelay = Duration.seconds(30)
  private static let advice = "stop flow run on all machines, and restore a backup (flow cluster restore)"

  private let context: SourceContext
  private let stream: String
  private var order: PackOrder
  /// Whether the stream was replaced, and nothing has come since that shows whether packs were lost with it.
  private var isReplaced = false
  /// The trouble, and when it is reported next.
  private var trouble: (text: String, due: Instant)?
  private var isReported = false

  init(_ context: SourceContext, in stream: String) {
    (self.context, self.stream) = (context, stream)
    order = PackOrder(position: context.position)
  }

  /// Other tasks' packs are removed too, and a missing one is noticed by its ordinal.
  var isCounted: Bool { true }

  func begin() {}

  func add(_ message: NATSEntry) {
    guard let pack = Pack(Array(message.bytes)),
      let sequence = message.header("Nats-Sequence").flatMap({ UInt64($0) })
    else { return context.log.error("a message of \(message.subject) is no pack, and is skipped") }
    order.add(pack, at: sequence)
  }

  func send(_ batch: StreamReader.Batch, to feed: Feed, _ progress: StreamProgress) {
    let packs = order.take(through: batch.last)
    if !packs.isEmpty { isReplaced = false }
    for ready in packs {
      var position = progress.position
      for (name, value) in ready.position { position.setMember(Key(name), value) }
      feed.send(ready.pack.batch(position: feed.storesPositions ? position : nil))
    }
    noteWaiting()
  }

  func noteReplaced() { isReplaced = true }

  func missing(_ error: NATSError) -> any Error {
    Sentence(
      "the servers have lost the stream \(stream), and with it the packs that were on their way to this task: "
        + "start flow run again on a machine, which makes the stream; if a pack is missing then, \(Self.advice)"
    )
  }

  func noteWaiting() {
    var text: String?
    if let ordinal = order.missing {
      text =
        "pack \(ordinal) is missing, and those behind it wait for it: its sender has not stored it yet, or the servers "
        + "have lost it; if it does not come, \(Self.advice)"
    } else if isReplaced {
      text =
        "the servers have lost the stream \(stream), and it was made again: whether packs for this task are lost with it "
        + "shows when the next one comes"
    }
    let now = MonotonicClock.now
    guard let text else {
      if isReported { context.noteConnection() }
      (trouble, isReported) = (nil, false)
      return
    }
    if trouble?.text != text { trouble = (text, order.missing == nil ? now : now + Self.reportDelay) }
    guard let due = trouble?.due, now >= due else { return }
    trouble?.due = now + Self.reportDelay
    isReported = true
    context.noteDisconnection(Sentence(text), Self.reportDelay)
  }

  func summarize() {}
}
