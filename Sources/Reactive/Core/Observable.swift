/// A stream of elements that may end with completion or an error; nothing happens until it is subscribed to.
///
/// ```
/// let numbers = Observable.from(1...4).filter { $0.isMultiple(of: 2) }.map { $0 * 10 }
/// let subscription = numbers.subscribe(next: { print($0) }, complete: { print("done") })  // 20, 40, done
/// ```
///
/// How an operator is made: a recipe (the closure given to `init(attaching:)`) that wraps the observer it is handed
/// in one of its own and attaches that to its source. One `Subscription` goes down the whole chain with it. The recipe
/// holds the source, so that a chain can be subscribed to later; a subscription holds neither.
///
/// - An operator that passes each terminal on at once shares the subscription of its downstream: its owner
///   disposes it on the terminal, and so releases everything above. The owner also lets nothing through that was
///   under way when the subscription was disposed; a source stops as soon as it sees that.
/// - An operator that keeps a terminal to itself (`concat`, `retry`, `merge`, `delay`, …) gives its source a
///   `child()` of the subscription, and disposes that when the source ends.
///
/// A class, so that a subject is one: `@unchecked Sendable` with its reason, that this is the only way to be both
/// `Sendable` and a base. It has no variables, nor has a class of this package that derives from it (a Tidy test looks);
/// a class elsewhere that does, as test sources do, says `@unchecked Sendable` itself and promises the same.
open class Observable<Element: Sendable>: @unchecked Sendable {
  /// Connects an observer to the source, for as long as the subscription lives.
  public typealias Recipe =
    @Sendable (_ observer: any Observer<Element>, _ subscription: Subscription) -> Void

  /// How it is subscribed to; a `SoleElement` alone needs none.
  private let recipe: Recipe?

  /// Makes an observable from a recipe, which must keep the grammar of `Observer` by itself.
  ///
  /// This is the way to write a new operator; `create` is the guarded way to write a new source.
  /// ```
  /// let answer = Observable<Int>(attaching: { observer, _ in
  ///   observer.next(42)
  ///   observer.complete()
  /// })
  /// ```
  public init(attaching recipe: @escaping Recipe) {
    self.recipe = recipe
  }

  fileprivate init() {
    recipe = nil
  }

  /// The stream alone: not a subject that it can be fed by, nor the source that a connectable observable connects to.
  ///
  /// ```
  /// let titles = BehaviorSubject("")
  /// let shown = titles.observable  // for those who are not to feed it
  /// ```
  public final var observable: Observable { recipe.map { Observable(attaching: $0) } ?? self }

  /// The first element, awaited; the subscription ends with it.
  ///
  /// `numbers.toArray().value` is all of them. It throws the error of the stream, `ReactiveError.noElement` for a stream
  /// that completes without an element, and `CancellationError` in a task that is cancelled. Where a value is present,
  /// in a `BehaviorSubject` or a `BehaviorRelay`, it is that, at once.
  /// ```
  /// let answer = try await Observable.just(42).value
  /// ```
  public var value: Element {
    get async throws {
      for try await value in take(1).values { return value }
      try Task.checkCancellation()
      throw ReactiveError.noElement
    }
  }

  /// Hands on what `just` emits, so that `flatMap` can take it without subscribing; false for any other stream.
  @inline(__always)
  final func takeSole(_ take: (Element) -> Void) -> Bool {
    if recipe != nil { return false }
    take(known(self, as: SoleElement<Element>.self).element)
    return true
  }

  /// Connects an observer that belongs to a chain, under a subscription that another owns.
  @inline(__always)
  public final func attach(_ observer: any Observer<Element>, in subscription: Subscription) {
    if let recipe { return recipe(observer, subscription) }
    if subscription.isDisposed { return }
    if let room = subscription.room, room.isFull { return attachLater(observer, subscription, room) }
    _ = takeSole { observer.next($0) }
    if !subscription.isDisposed { observer.complete() }
  }
}

extension Observable {
  /// Has the element of `just` wait for room.
  private func attachLater(_ observer: any Observer<Element>, _ subscription: Subscription, _ room: Room) {
    _ = takeSole { PausingSource(CollectionOfOne($0).makeIterator(), observer, subscription, room).goOn() }
  }
}

/// An observable of one element.
final class SoleElement<Element: Sendable>: Observable<Element>, @unchecked Sendable {
  let element: Element

  init(_ element: Element) {
    self.element = element
    super.init()
  }
}
