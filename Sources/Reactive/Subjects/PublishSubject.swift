/// An observable that is fed by hand; whoever subscribes gets what comes from then on.
///
/// Elements may be sent from any thread, and from inside an element's delivery: they are delivered one at a time,
/// to every observer in the same order. After a terminal, a new subscriber gets that terminal at once.
/// ```
/// let subject = PublishSubject<Int>()
/// subject.observable.subscribe(next: { print($0) })
/// subject.next(1)  // 1
/// ```
public final class PublishSubject<Element: Sendable>: Observer {
  private let broadcast = Broadcast<Element>()

  public init() {}

  /// What the subject is fed, as a stream.
  public var observable: Observable<Element> {
    Observable { [broadcast] observer, subscription in broadcast.attach(observer, in: subscription) }
  }

  /// Whether anybody is subscribed.
  public var hasObservers: Bool { broadcast.hasObservers }

  public func next(_ value: Element) { broadcast.next(value) }
  public func next(batch: [Element]) { broadcast.next(batch: batch) }
  public var takesBatches: Bool { true }
  public func fail(_ error: any Error) { broadcast.fail(error) }
  public func complete() { broadcast.complete() }
}
