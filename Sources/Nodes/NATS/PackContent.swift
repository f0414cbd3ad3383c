import Engine
import JSON
import NATS

/// The packs of a task as messages of a stream.
final class PackContent: StreamContent {
  private let context: SourceContext
  private var order: PackOrder

  init(_ context: SourceContext) {
    self.context = context
    order = PackOrder(position: context.position)
  }

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
      feed.send(ready.pack.delivery(position: feed.isKept ? position : nil))
    }
  }

  func summarize() {}
}
