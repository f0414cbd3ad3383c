/// A subject: an observable that is fed by hand; a new subscriber gets what comes from then on.
///
/// Elements may be sent from any thread, and from inside an element's delivery: they are delivered one at a time,
/// to every observer in the same order, by whichever thread is delivering already: `next` returns at once then, and
/// the one inside may be held up by what others send. After a terminal, a new subscriber gets that terminal at once.
/// ```
/// let subject = PublishSubject<Int>()
/// let subscription = subject.observable.subscribe(next: { print($0) })
/// subject.next(1)  // 1
/// ```
public final class PublishSubject<Element: Sendable>: Observer {
  let broadcast = Broadcast<Element>()

  public init() {}

  /// What the subject is fed, as a stream.
  public var observable: Observable<Element> {
    Observable { [broadcast] observer, subscription in broadcast.attach(observer, in: subscription) }
  }

  /// Whether there are subscribers.
  public var hasObservers: Bool { broadcast.hasObservers }

  public func next(_ value: Element) { broadcast.next(value) }
  public func next(batch: [Element]) { broadcast.next(batch: batch) }
  public var takesBatches: Bool { true }
  public func fail(_ error: any Error) { broadcast.fail(error) }
  public func complete() { broadcast.complete() }
}

/// A value that changes, as a stream: a new subscriber gets the present value first.
///
/// It has it when `subscribe` returns, even while another thread sends or inside a delivery.
/// ```
/// let status = BehaviorSubject("TBD")
/// status.next("Go")
/// let subscription = status.observable.subscribe(next: { print($0) })  // Go
/// ```
public final class BehaviorSubject<Element: Sendable>: Observer {
  let broadcast: Broadcast<Element>

  /// Starts with a value.
  public init(_ value: Element) {
    broadcast = Broadcast(memory: 1, seed: value, forgetsAtEnd: true)
  }

  /// The present value: the last one sent, though its delivery may still wait for others.
  public var value: Element {
    guard let value = broadcast.latest else { preconditionFailure("the memory starts with a value") }
    return value
  }

  /// The present value and each later one; after the end only the end, for nothing is present any more.
  public var observable: Observable<Element> {
    Observable { [broadcast] observer, subscription in broadcast.attach(observer, in: subscription) }
  }

  /// Whether there are subscribers.
  public var hasObservers: Bool { broadcast.hasObservers }

  public func next(_ value: Element) { broadcast.next(value) }
  public func next(batch: [Element]) { broadcast.next(batch: batch) }
  public var takesBatches: Bool { true }
  public func fail(_ error: any Error) { broadcast.fail(error) }
  public func complete() { broadcast.complete() }
}

/// A subject that replays its last elements, at most `limit` of them, to a new subscriber.
///
/// ```
/// let log = ReplaySubject<String>(limit: 2)
/// for line in ["a", "b", "c"] { log.next(line) }
/// let subscription = log.observable.subscribe(next: { print($0) })  // b, c
/// ```
public final class ReplaySubject<Element: Sendable>: Observer {
  let broadcast: Broadcast<Element>

  /// Keeps the last `limit` elements; with none, it is a `PublishSubject`.
  public init(limit: Int) {
    broadcast = Broadcast(memory: max(0, limit))
  }

  /// The last elements, then each later one; the terminal too, if it has come.
  public var observable: Observable<Element> {
    Observable { [broadcast] observer, subscription in broadcast.attach(observer, in: subscription) }
  }

  /// Whether there are subscribers.
  public var hasObservers: Bool { broadcast.hasObservers }

  public func next(_ value: Element) { broadcast.next(value) }
  public func next(batch: [Element]) { broadcast.next(batch: batch) }
  public var takesBatches: Bool { true }
  public func fail(_ error: any Error) { broadcast.fail(error) }
  public func complete() { broadcast.complete() }
}
