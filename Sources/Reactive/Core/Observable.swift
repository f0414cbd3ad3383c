/// A stream of elements that may end with completion or an error; nothing happens until it is subscribed to.
///
/// ```
/// let numbers = Observable.from(1...4).filter { $0.isMultiple(of: 2) }.map { $0 * 10 }
/// let subscription = numbers.subscribe(next: { print($0) }, complete: { print("done") })  // 20, 40, done
/// ```
///
/// How an operator is made: a recipe (the closure given to `init(attaching:)`) that wraps the observer it is handed
/// in one of its own and attaches that to its source. One `Subscription` goes down the whole chain with it.
///
/// - An operator that passes each terminal on at once shares the subscription of its downstream: its owner
///   disposes it on the terminal, and so releases everything above. The owner also lets nothing through that was
///   under way when the subscription was disposed; a source stops as soon as it sees that.
/// - An operator that keeps a terminal to itself (`concat`, `retry`, `merge`, `delay`, …) gives its source a
///   `child()` of the subscription, and disposes that when the source ends.
public struct Observable<Element: Sendable>: Sendable {
  /// Connects an observer to the source, for as long as the subscription lives.
  public typealias Recipe =
    @Sendable (_ observer: any Observer<Element>, _ subscription: Subscription) -> Void

  /// What `just` emits, so that `flatMap` can take it without subscribing.
  ///
  /// In a box, because a field of type
  /// `Element` would give this type a layout that code which is not specialised must look up each time.
  final class Scalar: Sendable {
    let value: Element

    init(_ value: Element) {
      self.value = value
    }
  }

  let scalar: Scalar?
  private let recipe: Recipe?

  init(scalar value: Element) {
    scalar = Scalar(value)
    recipe = nil
  }

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
    scalar = nil
    self.recipe = recipe
  }

  /// Connects an observer that belongs to a chain, under a subscription that another owns.
  @inline(__always)
  public func attach(_ observer: any Observer<Element>, in subscription: Subscription) {
    if let recipe { return recipe(observer, subscription) }
    guard let scalar, !subscription.isDisposed else { return }
    observer.next(scalar.value)
    if !subscription.isDisposed { observer.complete() }
  }
}
