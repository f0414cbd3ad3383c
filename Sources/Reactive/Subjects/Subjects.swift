/// The base of subjects: an observable that is fed by hand.
///
/// Elements may be sent from any thread, and from inside an element's delivery: they are delivered one at a time,
/// to every observer in the same order, by whichever thread is delivering already: `next` returns at once then, and
/// the one inside may be held up by what others send. After a terminal, a new subscriber gets that terminal at once.
///
/// Combine has a protocol of this name, and RxSwift's subjects have the names of these three, which is what their users look
/// for: a file that imports two of the libraries writes `Reactive.Subject`.
public class Subject<Element: Sendable>: Observable<Element>, Observer, @unchecked Sendable {
  final let broadcast: Broadcast<Element>

  fileprivate init(_ broadcast: Broadcast<Element>) {
    self.broadcast = broadcast
    super.init(attaching: { observer, subscription in broadcast.attach(observer, in: subscription) })
  }

  /// Whether there are subscribers.
  public final var hasObservers: Bool { broadcast.hasObservers }

  /// Sends an element to all subscribers.
  public final func next(_ value: Element) { broadcast.next(value) }
  /// Sends several elements at once.
  public final func next(batch: [Element]) { broadcast.next(batch: batch) }
  /// Whether it takes several elements at once: it does.
  public final var takesBatches: Bool { true }
  /// Ends the stream with an error, for all subscribers.
  public final func fail(_ error: any Error) { broadcast.fail(error) }
  /// Ends the stream, for all subscribers.
  public final func complete() { broadcast.complete() }
}

/// A subject whose new subscribers get what comes from then on.
///
/// ```
/// let subject = PublishSubject<Int>()
/// let subscription = subject.map { $0 * 10 }.subscribe(next: { print($0) })
/// subject.next(1)  // 10
/// ```
public final class PublishSubject<Element: Sendable>: Subject<Element>, @unchecked Sendable {
  /// Makes one without subscribers.
  public init() {
    super.init(Broadcast())
  }
}

/// A value that changes, as a stream: a new subscriber gets the present value first.
///
/// It has it when `subscribe` returns, even while another thread sends or inside a delivery. After the end it gets only the
/// end, for nothing is present any more.
/// ```
/// let status = BehaviorSubject("TBD")
/// status.next("Go")
/// let subscription = status.subscribe(next: { print($0) })  // Go
/// ```
public final class BehaviorSubject<Element: Sendable>: Subject<Element>, @unchecked Sendable {
  /// Starts with a value.
  public init(_ value: Element) {
    super.init(Broadcast(remembering: value, forgetsAtEnd: true))
  }

  /// The present value: the last one sent, though its delivery may still wait for others.
  public override var value: Element {
    guard let value = broadcast.latest else { preconditionFailure("the memory starts with a value") }
    return value
  }
}

/// A subject that replays its last elements, at most `limit` of them, to a new subscriber; and the terminal, if it has come.
///
/// ```
/// let log = ReplaySubject<String>(limit: 2)
/// for line in ["a", "b", "c"] { log.next(line) }
/// let subscription = log.subscribe(next: { print($0) })  // b, c
/// ```
public final class ReplaySubject<Element: Sendable>: Subject<Element>, @unchecked Sendable {
  /// Keeps the last `limit` elements; with none, it is a `PublishSubject`.
  public init(limit: Int) {
    super.init(Broadcast(memory: max(0, limit)))
  }
}
