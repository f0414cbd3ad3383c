import Reactive

/// Where a source's deliveries enter the lane: each is a turn, its values go on one by one.
final class SourceEntry: Observer {
  /// One event in so many has its time taken.
  private static let sampling = 64

  private let lane: Lane
  private let subject: PublishSubject<Signal>
  private let subscription: Subscription
  private let count = LaneLocal(0)

  init(_ lane: Lane, _ subject: PublishSubject<Signal>, _ subscription: Subscription) {
    self.lane = lane
    self.subject = subject
    self.subscription = subscription
  }

  func next(_ delivery: Delivery) {
    lane.turn {
      for value in delivery.values {
        if subscription.isDisposed { return }
        count.value &+= 1
        lane.isTimed = count.value % Self.sampling == 1
        subject.next(.event(Event(value, delivery.poll)))
      }
      lane.isTimed = false
      if delivery.endsPoll { subject.next(.endOfPoll(delivery.poll)) }
    }
  }

  func fail(_ error: any Error) { lane.fail(error) }

  func complete() { subject.complete() }
}
