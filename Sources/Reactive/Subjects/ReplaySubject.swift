/// A subject that tells a new subscriber its last elements first, at most `limit` of them.
///
/// ```
/// let log = ReplaySubject<String>(limit: 2)
/// for line in ["a", "b", "c"] { log.next(line) }
/// log.observable.subscribe(next: { print($0) })  // b, c
/// ```
public final class ReplaySubject<Element: Sendable>: Observer {
  private let broadcast: Broadcast<Element>

  /// Keeps the last `limit` elements; with none, it is a `PublishSubject`.
  public init(limit: Int) {
    broadcast = Broadcast(memory: max(0, limit))
  }

  /// The last elements, then each later one; the terminal too, if it has come.
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
