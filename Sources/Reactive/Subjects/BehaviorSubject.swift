/// A value that changes, as a stream: whoever subscribes gets the present value first.
///
/// ```
/// let status = BehaviorSubject("TBD")
/// status.next("Go")
/// status.observable.subscribe(next: { print($0) })  // Go
/// ```
public final class BehaviorSubject<Element: Sendable>: Observer {
  private let broadcast: Broadcast<Element>
  private let initial: Element

  /// Starts with a value.
  public init(_ value: Element) {
    broadcast = Broadcast(memory: 1, seed: value, forgetsAtEnd: true)
    initial = value
  }

  /// The present value.
  public var value: Element { broadcast.latest ?? initial }

  /// The present value and each later one; after the end only the end, for nothing is present any more.
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
