/// The operator behind one or several inputs, which it knows by their numbers.
protocol InputOwner<Input>: AnyObject, Sendable {
  associatedtype Input: Sendable

  func take(_ value: Input, at index: Int)
  func fail(_ error: any Error, at index: Int)
  /// Notes that an input has completed.
  func close(_ index: Int)
}

/// One of several inputs of an operator, under a child of the subscription that ends with the input.
final class Input<Element: Sendable>: Observer {
  private let child: Subscription
  private let owner: any InputOwner<Element>
  private let index: Int

  fileprivate init(_ child: Subscription, _ owner: any InputOwner<Element>, _ index: Int) {
    self.child = child
    self.owner = owner
    self.index = index
  }

  func next(_ value: Element) { owner.take(value, at: index) }

  func fail(_ error: any Error) {
    guard child.close() else { return }
    child.release()
    owner.fail(error, at: index)
  }

  func complete() {
    guard child.close() else { return }
    child.release()
    owner.close(index)
  }
}

extension Observable {
  /// Attaches as one of several inputs; the result ends the input before its time.
  ///
  /// `willAttach` is called with it first, whether or not it has ended already.
  @inline(__always)
  @discardableResult
  func feed(
    _ owner: any InputOwner<Element>, at index: Int = 0, _ subscription: Subscription,
    willAttach: (Subscription) -> Void = { _ in }
  ) -> Subscription {
    let child = subscription.child()
    willAttach(child)
    if !child.isDisposed { attach(Input(child, owner, index), in: child) }
    return child
  }

  /// Attaches as one of several inputs of different types.
  func feed(
    _ subscription: Subscription,
    next: @escaping @Sendable (Element) -> Void,
    fail: @escaping @Sendable (any Error) -> Void,
    complete: @escaping @Sendable () -> Void
  ) {
    feed(InputClosures(next, fail, complete), subscription)
  }
}

/// An operator that another stream signals by its elements, whatever these are.
protocol SignalledOwner: AnyObject, Sendable {
  func signal()
  func fail(_ error: any Error, at index: Int)
}

/// The input of such signals; its end says nothing.
final class SignalInput<Element: Sendable>: InputOwner {
  private let owner: any SignalledOwner

  init(_ owner: any SignalledOwner) {
    self.owner = owner
  }

  func take(_ value: Element, at index: Int) { owner.signal() }
  func fail(_ error: any Error, at index: Int) { owner.fail(error, at: index) }
  func close(_ index: Int) {}
}

private final class InputClosures<Element: Sendable>: InputOwner {
  private let onNext: @Sendable (Element) -> Void
  private let onFail: @Sendable (any Error) -> Void
  private let onComplete: @Sendable () -> Void

  init(
    _ onNext: @escaping @Sendable (Element) -> Void, _ onFail: @escaping @Sendable (any Error) -> Void,
    _ onComplete: @escaping @Sendable () -> Void
  ) {
    self.onNext = onNext
    self.onFail = onFail
    self.onComplete = onComplete
  }

  func take(_ value: Element, at index: Int) { onNext(value) }
  func fail(_ error: any Error, at index: Int) { onFail(error) }
  func close(_ index: Int) { onComplete() }
}
