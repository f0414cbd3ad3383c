import Reactive

/// The objects that a stream still holds when it is over, whichever way it ended, though its source and its
/// scheduler live on.
extension Contract {
  /// No one disposes, and the source is released: nothing can come, and nothing is kept.
  func releasesWithSource() -> [String] {
    let clock = VirtualScheduler()
    weak var source: PublishSubject<Int>?
    weak var subscriber: Canary?
    weak var token: Subscription?
    do {
      let subject = PublishSubject<Int>()
      source = subject
      let inSubscriber = Canary()
      subscriber = inSubscriber
      let subscription = build(subject, clock, { $0 })
        .subscribe(next: { _ in inSubscriber.chirp() }, fail: { _ in })
      token = subscription
      for number in 1...3 { subject.next(number) }
    }
    clock.run(limit: 1000)
    var breaches = Breaches()
    breaches.expect(source == nil, "the source is still held")
    breaches.expect(subscriber == nil, "the subscriber is still held")
    breaches.expect(token == nil, "the subscription is still held")
    return breaches.list
  }

  func releases(
    insideNext: Bool = false, _ end: (PublishSubject<Int>, Subscription) -> Void
  ) -> [String] {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    weak var closure: Canary?
    weak var subscriber: Canary?
    weak var token: Subscription?
    do {
      let inClosure = Canary()
      let inSubscriber = Canary()
      let subscription = Subscription()
      (closure, subscriber, token) = (inClosure, inSubscriber, subscription)
      let chain = build(
        subject, clock,
        { number in
          inClosure.chirp()
          return number
        })
      chain.subscribe(
        in: subscription,
        next: { _ in
          inSubscriber.chirp()
          if insideNext { subscription.dispose() }
        }, fail: { _ in })
      for number in 1...3 { subject.next(number) }
      end(subject, subscription)
      clock.run(limit: 1000)
      // A source of its own, or one that waits for another, may not have ended by itself.
      subscription.dispose()
    }
    var breaches = Breaches()
    breaches.expect(closure == nil, "the operator's closure is still held")
    breaches.expect(subscriber == nil, "the subscriber is still held")
    breaches.expect(token == nil, "the subscription is still held")
    breaches.expect(!subject.hasObservers || staysConnected, "the source is not left")
    return breaches.list
  }
}
