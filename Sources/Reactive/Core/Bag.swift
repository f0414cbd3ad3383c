/// A bag of subscriptions, which ends them when it is released: for an object whose streams live as long as it does.
///
/// ```
/// final class Screen: Sendable {
///   private let bag = Bag()
///   init(_ ticks: Observable<Int>) { ticks.subscribe(next: { print($0) }).disposed(by: bag) }
/// }
/// ```
/// A stream that ends leaves the bag, and the others go on; one `Subscription` given to several streams would end them
/// all with the first.
public final class Bag: Sendable {
  private let all = Subscription()

  /// Makes an empty bag.
  public init() {}

  deinit { all.dispose() }

  /// Puts a subscription in; it ends at once if the bag has been disposed.
  public func add(_ subscription: Subscription) {
    all.adopt(subscription)
  }

  /// Ends what is in the bag, and what is put in later.
  public func dispose() {
    all.dispose()
  }
}

extension Subscription {
  /// Ends with the bag.
  public func disposed(by bag: Bag) {
    bag.add(self)
  }
}
