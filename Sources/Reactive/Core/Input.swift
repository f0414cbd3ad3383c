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

  init(_ child: Subscription, _ owner: any InputOwner<Element>, _ index: Int = 0) {
    self.child = child
    self.owner = owner
    self.index = index
  }

  func next(_ value: Element) { owner.take(value, at: index) }

  func fail(_ error: any Error) {
    if child.finish() { owner.fail(error, at: index) }
  }

  func complete() {
    if child.finish() { owner.close(index) }
  }
}

extension Observable {
  /// Attaches as one of several inputs; the result ends the input before its time.
  @inline(__always)
  @discardableResult
  func feed(
    _ owner: any InputOwner<Element>, at index: Int = 0, _ subscription: Subscription
  ) -> Subscription {
    feed(subscription) { Input($0, owner, index) }
  }

  /// Attaches as an input under a subscription of its own.
  @inline(__always)
  func feed(_ owner: any InputOwner<Element>, at index: Int, as own: Subscription) {
    if !own.isDisposed { attach(Input(own, owner, index), in: own) }
  }

  /// Attaches as one of several inputs, to an observer under a child of the subscription, which finishes it at its end.
  @inline(__always)
  @discardableResult
  func feed(_ subscription: Subscription, to observer: (Subscription) -> any Observer<Element>)
    -> Subscription
  {
    let child = subscription.child()
    if !child.isDisposed { attach(observer(child), in: child) }
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
  func fail(_ error: any Error)
}

/// The input of such signals; its end says nothing.
final class SignalInput<Element: Sendable>: Observer {
  private let child: Subscription
  private let owner: any SignalledOwner

  init(_ child: Subscription, _ owner: any SignalledOwner) {
    self.child = child
    self.owner = owner
  }

  func next(_ value: Element) { owner.signal() }

  func fail(_ error: any Error) {
    if child.finish() { owner.fail(error) }
  }

  func complete() { _ = child.finish() }
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
