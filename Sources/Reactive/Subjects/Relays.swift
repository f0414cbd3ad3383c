/// The base of relays: a subject that cannot end.
///
/// What feeds it may, and others go on.
/// `stream.subscribe(relay)` sends it the elements, leaves the completion out, and reports an error to `Diagnostics`.
public class Relay<Element: Sendable>: Observable<Element>, Observer, @unchecked Sendable {
  fileprivate final let broadcast: Broadcast<Element>

  fileprivate init(_ broadcast: Broadcast<Element>) {
    self.broadcast = broadcast
    super.init(attaching: { observer, subscription in broadcast.attach(observer, in: subscription) })
  }

  /// Whether there are subscribers.
  public final var hasObservers: Bool { broadcast.hasObservers }

  /// Sends an element.
  public final func next(_ value: Element) { broadcast.next(value) }
  /// Sends several elements at once.
  public final func next(batch: [Element]) { broadcast.next(batch: batch) }
  /// Whether it takes several elements at once: it does.
  public final var takesBatches: Bool { true }
  /// Reports the error to `Diagnostics`: a relay does not end.
  public final func fail(_ error: any Error) { Diagnostics.report(.unhandledError(error)) }
  /// Does nothing: a relay does not end.
  public final func complete() {}
}

/// A relay whose new subscribers get what comes from then on.
///
/// ```
/// let taps = PublishRelay<String>()
/// taps.subscribe(next: { print($0) }).disposed(by: bag)
/// taps.next("Go")  // Go
/// ```
public final class PublishRelay<Element: Sendable>: Relay<Element>, @unchecked Sendable {
  /// Makes one without subscribers.
  public init() {
    super.init(Broadcast())
  }
}

/// A value that changes and cannot end, as a stream: a new subscriber gets the present value first.
///
/// ```
/// let status = BehaviorRelay("TBD")
/// status.next("Go")
/// status.value  // Go
/// ```
public final class BehaviorRelay<Element: Sendable>: Relay<Element>, @unchecked Sendable {
  /// Starts with a value.
  public init(_ value: Element) {
    super.init(Broadcast(remembering: value, forgetsAtEnd: false))
  }

  /// The present value: the last one sent.
  public override var value: Element {
    guard let value = broadcast.latest else { preconditionFailure("the memory starts with a value") }
    return value
  }
}

/// A relay that replays its last elements, at most `limit` of them, to a new subscriber.
public final class ReplayRelay<Element: Sendable>: Relay<Element>, @unchecked Sendable {
  /// Keeps the last `limit` elements.
  public init(limit: Int) {
    super.init(Broadcast(memory: max(0, limit)))
  }
}
