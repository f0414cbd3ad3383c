/// The receiver of the events of one subscription.
///
/// The grammar every source keeps: any number of `next`, then at most one of `fail` and `complete`, then nothing;
/// each call returns before the following one begins, though they may come from different threads.
///
/// There are three methods instead of one that takes an event value: a generic enum sent through a dynamic call
/// costs five times as much as the call itself.
public protocol Observer<Element>: AnyObject, Sendable {
  /// The type of what it receives.
  associatedtype Element: Sendable

  /// Takes the next element.
  func next(_ value: Element)

  /// Takes several elements at once, in order; the same as `next(_:)` for each of them.
  func next(batch: [Element])

  /// Whether a batch is of use to it as such, as to a mailbox that takes it under one lock.
  ///
  /// To any other observer the sender hands the elements one by one, and stops when the subscription ends in between.
  var takesBatches: Bool { get }

  /// Takes the error that ended the stream.
  func fail(_ error: any Error)

  /// Notes that the stream has completed.
  func complete()
}

extension Observer {
  /// Takes the elements one by one.
  public func next(batch: [Element]) {
    for value in batch { next(value) }
  }

  /// Whether batches are of use: they are not, unless an observer says so.
  public var takesBatches: Bool { false }

  /// Sends a batch, as one or one by one, but nothing after the subscription has ended.
  func take(_ batch: [Element], in subscription: Subscription) {
    if takesBatches {
      if !subscription.isDisposed { next(batch: batch) }
      return
    }
    for value in batch {
      if subscription.isDisposed { return }
      next(value)
    }
  }
}
