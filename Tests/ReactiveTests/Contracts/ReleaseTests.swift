import Reactive
import Testing

/// Whatever way a stream ends, everything it held is released, though source and scheduler live on.
@Suite struct ReleaseTests {
  enum WayOut: CaseIterable {
    case completion
    case failure
    case dispose
    case disposeInsideNext
  }

  /// No one disposes, and the source is released: nothing can come, and nothing is kept.
  @Test(arguments: Contract.all.filter { !$0.outlivesSource }) func releasesEverythingWithItsSource(
    _ contract: Contract
  ) {
    let clock = VirtualScheduler()
    weak var source: PublishSubject<Int>?
    weak var subscriber: Canary?
    weak var token: Subscription?
    do {
      let subject = PublishSubject<Int>()
      source = subject
      let inSubscriber = Canary()
      subscriber = inSubscriber
      let subscription = contract.build(subject, clock, { $0 })
        .subscribe(next: { _ in inSubscriber.chirp() }, fail: { _ in })
      token = subscription
      for number in 1...3 { subject.next(number) }
    }
    clock.run(limit: 1000)
    #expect(source == nil, "the source is still held")
    #expect(subscriber == nil, "the subscriber is still held")
    #expect(token == nil, "the subscription is still held")
  }

  @Test(arguments: Contract.all, WayOut.allCases) func releasesEverything(_ contract: Contract, _ way: WayOut)
  {
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
      let chain = contract.build(
        subject, clock,
        { number in
          inClosure.chirp()
          return number
        })
      chain.subscribe(
        in: subscription,
        next: { _ in
          inSubscriber.chirp()
          if way == .disposeInsideNext { subscription.dispose() }
        })
      for number in 1...3 { subject.next(number) }
      switch way {
      case .completion: subject.complete()
      case .failure: subject.fail(Oops())
      case .dispose, .disposeInsideNext: subscription.dispose()
      }
      clock.run(limit: 1000)
      // A source of its own, or one that waits for another, may not have ended by itself.
      subscription.dispose()
    }

    #expect(closure == nil, "the operator's closure is still held")
    #expect(subscriber == nil, "the subscriber is still held")
    #expect(token == nil, "the subscription is still held")
    #expect(!subject.hasObservers || contract.staysConnected)
  }
}
