import Reactive

/// Where a source's deliveries enter the lane: each is a turn, its values go on one by one.
final class SourceEntry: Observer {
  /// One event in so many has its time taken.
  private static let sampling = 64

  private let lane: Lane
  private let source: String
  private let isRepeatable: Bool
  private let subject: PublishSubject<Signal>
  private let subscription: Subscription
  private let count = LaneLocal(0)

  init(
    _ source: SourcePlan, _ lane: Lane, _ subject: PublishSubject<Signal>, _ subscription: Subscription
  ) {
    self.source = source.name
    isRepeatable = source.isRepeatable
    self.lane = lane
    self.subject = subject
    self.subscription = subscription
  }

  func next(_ delivery: Delivery) {
    if delivery.isCaughtUp {
      lane.ledger?.endRegeneration()
      return
    }
    lane.turn(kind(of: delivery), events: delivery.values.count) {
      let poll = poll(of: delivery)
      for value in delivery.values {
        if subscription.isDisposed { return }
        count.value &+= 1
        lane.isTimed = count.value % Self.sampling == 1
        subject.next(.event(Event(value, poll)))
      }
      lane.isTimed = false
      if delivery.endsPoll { subject.next(.endOfPoll(poll)) }
      if let position = delivery.position {
        // That it was polled is no reason to keep anything.
        lane.ledger?.setPosition(position, of: source, isIdle: delivery.endsPoll)
      }
    }
  }

  private func kind(of delivery: Delivery) -> Lane.Turn {
    if delivery.endsPoll { return .single }
    return isRepeatable && delivery.position != nil ? .repeatable : .streamed
  }

  /// What is read again after a crash must be as it was, its time too.
  private func poll(of delivery: Delivery) -> Poll {
    guard let ledger = lane.ledger, ledger.isInStretch else { return delivery.poll }
    return Poll(source: source, at: lane.now, notes: delivery.poll.notes)
  }

  func fail(_ error: any Error) { lane.fail(error) }

  func complete() {
    lane.ledger?.breakOffRegeneration()
    subject.complete()
  }
}
