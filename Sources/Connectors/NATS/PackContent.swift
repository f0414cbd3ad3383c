import Engine
import JSON
import NATS
import Reactive

/// The packs of a task as messages of a stream.
final class PackContent: StreamContent {
  /// A pack that is missing for so long is reported: a sender that was killed has a successor sooner.
  private static let reportDelay = Duration.seconds(30)

  private let context: SourceContext
  private var order: PackOrder
  /// The pack that is missing, since when, and whether that was reported.
  private var missing: (ordinal: Int64, since: Instant, isReported: Bool)?

  init(_ context: SourceContext) {
    self.context = context
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
    for ready in order.take(through: batch.last) {
      var position = progress.position
      for (name, value) in ready.position { position.setMember(Key(name), value) }
      feed.send(ready.pack.batch(position: feed.storesPositions ? position : nil))
    }
    noteWaiting()
  }

  func noteWaiting() {
    guard let ordinal = order.missing else { return missing = nil }
    let now = MonotonicClock.now
    guard let missing, missing.ordinal == ordinal else { return missing = (ordinal, now, false) }
    guard !missing.isReported, now - missing.since > Self.reportDelay else { return }
    self.missing?.isReported = true
    context.log.warning(
      "pack \(ordinal) is missing, and those behind it wait for it: its sender has not stored it yet, or the "
        + "servers have lost it")
  }

  func summarize() {}
}
