/// A stream of elements that may end with completion or an error; nothing happens until somebody subscribes.
///
/// ```
/// let numbers = Observable.from(1...4).filter { $0.isMultiple(of: 2) }.map { $0 * 10 }
/// numbers.subscribe(next: { print($0) }, complete: { print("done") })  // 20, 40, done
/// ```
///
/// How an operator is made: a recipe (the closure given to `init(attaching:)`) that wraps the observer it is handed
/// in one of its own and attaches that to its source. One `Subscription` goes down the whole chain with it.
///
/// - An operator that passes each terminal on at once shares the subscription of its downstream: whoever owns that
///   disposes it on the terminal, and so releases everything above.
/// - An operator that keeps a terminal to itself (`concat`, `retry`, `merge`, `delay`, …) gives its source a
///   `child()` of the subscription, and disposes that when the source ends.
public struct Observable<Element: Sendable>: Sendable {
  /// Connects an observer to the source, for as long as the subscription lives.
  public typealias Recipe =
    @Sendable (_ observer: any Observer<Element>, _ subscription: Subscription) -> Void

  /// One element known in advance needs no recipe; `flatMap` takes it without subscribing.
  enum Source: Sendable {
    case scalar(Element)
    case recipe(Recipe)
  }

  let source: Source

  init(source: Source) {
    self.source = source
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
    source = .recipe(recipe)
  }

  /// Connects an observer that belongs to a chain, under a subscription that somebody else owns.
  public func attach(_ observer: any Observer<Element>, in subscription: Subscription) {
    switch source {
    case .recipe(let recipe):
      recipe(observer, subscription)
    case .scalar(let value):
      if subscription.isDisposed { return }
      observer.next(value)
      if !subscription.isDisposed { observer.complete() }
    }
  }
}
