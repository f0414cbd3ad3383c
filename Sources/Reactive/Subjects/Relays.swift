/// A subject that cannot end: what feeds it may, and others go on.
///
/// It is an observer too: `stream.subscribe(relay)` sends it the elements, leaves the completion out, and reports an error to
/// `Diagnostics`.
/// ```
/// let taps = PublishRelay<String>()
/// taps.observable.subscribe(next: { print($0) }).disposed(by: bag)
/// taps.next("Go")  // Go
/// ```
public final class PublishRelay<Element: Sendable>: Relay {
  private let subject = PublishSubject<Element>()

  public init() {}

  /// What the relay is fed, as a stream.
  public var observable: Observable<Element> { subject.observable }

  public func next(_ value: Element) { subject.next(value) }
}

/// A value that changes and cannot end, as a stream: a new subscriber gets the present value first.
///
/// ```
/// let status = BehaviorRelay("TBD")
/// status.next("Go")
/// status.value  // Go
/// ```
public final class BehaviorRelay<Element: Sendable>: Relay {
  private let subject: BehaviorSubject<Element>

  /// Starts with a value.
  public init(_ value: Element) {
    subject = BehaviorSubject(value)
  }

  /// The present value: the last one sent.
  public var value: Element { subject.value }

  /// The present value and each later one.
  public var observable: Observable<Element> { subject.observable }

  public func next(_ value: Element) { subject.next(value) }
}

/// A relay that replays its last elements, at most `limit` of them, to a new subscriber.
public final class ReplayRelay<Element: Sendable>: Relay {
  private let subject: ReplaySubject<Element>

  /// Keeps the last `limit` elements.
  public init(limit: Int) {
    subject = ReplaySubject(limit: limit)
  }

  /// The last elements, then each later one.
  public var observable: Observable<Element> { subject.observable }

  public func next(_ value: Element) { subject.next(value) }
}

/// What relays have in common: an end of what feeds them is not theirs.
public protocol Relay<Element>: Observer {
  /// What the relay is fed, as a stream.
  var observable: Observable<Element> { get }
}

extension Relay {
  public func fail(_ error: any Error) { Diagnostics.report(.unhandledError(error)) }

  public func complete() {}
}
