/// A fan-out: hands what it is given to several observers, in the order in which they have attached.
///
/// It is the subject for a chain that stays on one serial scheduler, where nothing comes from two threads at once:
/// unlike `PublishSubject` it needs no turn to be taken for each element, and costs one call for each observer.
/// Observers attach before the first element.
/// ```
/// let fanOut = FanOut<Int>()
/// let first = fanOut.observable.subscribe(next: { print("a", $0) })
/// let second = fanOut.observable.subscribe(next: { print("b", $0) })
/// fanOut.next(1)  // a 1, b 1
/// fanOut.complete()
/// ```
///
/// `@unchecked Sendable` with its reason: all calls come from one serial scheduler, or before it starts.
package final class FanOut<Element: Sendable>: Observer, @unchecked Sendable {
  /// An observer and the branch behind it; a list of `let` fields is walked without reference counting.
  private final class Branch: Sendable {
    let observer: any Observer<Element>
    let subscription: Subscription
    let following: Branch?

    init(_ observer: any Observer<Element>, _ subscription: Subscription, before following: Branch?) {
      self.observer = observer
      self.subscription = subscription
      self.following = following
    }
  }

  @exclusivity(unchecked) private var first: Branch?

  package init() {}

  /// The elements of the fan-out as a stream.
  package var observable: Observable<Element> {
    Observable { [self] observer, subscription in first = appended(observer, subscription, to: first) }
  }

  package func next(_ value: Element) {
    var branch = first
    while let present = branch {
      if !present.subscription.isDisposed { present.observer.next(value) }
      branch = present.following
    }
  }

  package func fail(_ error: any Error) { end { $0.fail(error) } }

  package func complete() { end { $0.complete() } }

  private func end(_ deliver: (any Observer<Element>) -> Void) {
    var branch = first
    first = nil
    while let present = branch {
      if !present.subscription.isDisposed { deliver(present.observer) }
      branch = present.following
    }
  }

  private func appended(
    _ observer: any Observer<Element>, _ subscription: Subscription, to branch: Branch?
  ) -> Branch {
    guard let branch else { return Branch(observer, subscription, before: nil) }
    return Branch(
      branch.observer, branch.subscription, before: appended(observer, subscription, to: branch.following))
  }
}
