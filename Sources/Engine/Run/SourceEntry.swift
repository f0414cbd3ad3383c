import JSON
import Language
import System
import Reactive

/// The entry of a source into the lane: each batch is a turn, its values are sent one by one.
final class SourceEntry: Observer {
  /// One event in so many is measured.
  private static let sampling = 64

  private let lane: Lane
  private let source: String
  private let meter: Meter
  private let isRepeatable: Bool
  private let subscription: Subscription
  /// Called when the source has ended, on the lane.
  private let ended: @Sendable () -> Void
  /// Set when the pipeline ends at once: no further batch is accepted.
  private let stop: StopSign
  /// The one reader of the source; several readers share it behind the entry.
  private let reader = LaneLocal<Reader?>(nil)
  private let count = LaneLocal(0)
  /// The key of a row, by the option of that name, and the keys in the last poll of each list.
  private let key: LaneLocal<Evaluation>?
  private let keys = LaneLocal<[String: Set<Value>]>([:])
  /// Whether a position of the source is known to be stored.
  private let start = LaneLocal(false)

  private final class Reader {
    let observer: any Observer<Event>
    let subscription: Subscription

    init(_ observer: any Observer<Event>, _ subscription: Subscription) {
      self.observer = observer
      self.subscription = subscription
    }
  }

  init(
    _ source: SourcePlan, _ meter: Meter, _ lane: Lane, _ stop: StopSign, _ subscription: Subscription,
    ended: @escaping @Sendable () -> Void
  ) {
    self.ended = ended
    self.meter = meter
    self.stop = stop
    self.source = source.name
    isRepeatable = source.isRepeatable
    key = source.key.map { LaneLocal(Evaluation($0, on: lane)) }
    self.lane = lane
    self.subscription = subscription
  }

  /// The events of the source, for one reader.
  var events: Observable<Event> {
    Observable { [self] observer, subscription in reader.value = Reader(observer, subscription) }
  }

  func next(_ batch: SourceBatch) {
    if stop.isSet { return }
    if batch.isCaughtUp {
      lane.checkpointer?.endRegeneration()
      return
    }
    lane.turn(kind(of: batch), events: batch.values.count) {
      if let reader = reader.value, !send(batch, to: reader) { return }
      if let position = batch.position {
        // A poll by itself is no reason for a commit.
        lane.checkpointer?.setPosition(
          position, of: source, entry: batch.poll.entry, isIdle: batch.endsPoll)
      }
      if let acknowledgement = batch.acknowledgement { lane.add(acknowledgement) }
    }
  }

  /// Returns false when the stream has no reader any more.
  private func send(_ batch: SourceBatch, to reader: Reader) -> Bool {
    let poll = poll(of: batch)
    if batch.endsPoll { noteKeys(of: batch.values, poll) }
    defer { if batch.endsPoll { poll.forgetRows() } }
    for (row, value) in batch.values.enumerated() {
      if subscription.isDisposed { return false }
      if reader.subscription.isDisposed { break }
      batch.values.prefetch(row + 1)
      count.value &+= 1
      lane.isTimed = count.value % Self.sampling == 1
      let event = Event(value, poll, row: Int32(truncatingIfNeeded: row))
      meter.show(event, on: lane)
      reader.observer.next(event)
    }
    lane.isTimed = false
    if batch.endsPoll, !reader.subscription.isDisposed {
      let end = Event.end(of: poll)
      meter.show(end, on: lane)
      reader.observer.next(end)
    }
    return true
  }

  private func noteKeys(of rows: [Value], _ poll: Poll) {
    guard let key else { return }
    if poll.gone != nil {
      keys.value[poll.list] = nil
      return
    }
    let names = rows.map { row in ((try? key.value.first(Event(row, poll))) ?? nil) ?? .null }
    poll.note(keys: names, after: keys.value[poll.list] ?? [])
    keys.value[poll.list] = Set(names.filter { $0.kind != .null })
  }

  private func kind(of batch: SourceBatch) -> Lane.Turn {
    if batch.endsPoll || batch.acknowledgement != nil { return .single }
    guard isRepeatable, batch.position != nil else { return .streamed }
    return hasStart ? .repeatable : .single
  }

  /// Whether there is a position to read again from: the first batch of all is committed before it is written.
  ///
  /// A file may have another name, or none, when it is to be read from its beginning again.
  private var hasStart: Bool {
    if let checkpointer = lane.checkpointer, !start.value {
      start.value = checkpointer.isRegenerating || ((try? checkpointer.position(of: source)) ?? nil) != nil
    }
    return start.value
  }

  /// The poll of a batch; one that is read again after a crash is the same, its time included.
  private func poll(of batch: SourceBatch) -> Poll {
    guard let checkpointer = lane.checkpointer, checkpointer.isInRepeatableEpoch else { return batch.poll }
    return Poll(source: source, at: lane.now, notes: batch.poll.notes)
  }

  func fail(_ error: any Error) { lane.fail(error) }

  func complete() {
    lane.checkpointer?.breakOffRegeneration()
    if let reader = reader.value, !reader.subscription.isDisposed { reader.observer.complete() }
    ended()
  }
}
