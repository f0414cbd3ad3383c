extension Observable {
  /// Emits some elements before those of the stream.
  ///
  ///     ---b--|
  ///     a--b--|   startWith(a)
  /// ```
  /// Observable.just(3).startWith(1, 2)  // 1, 2, 3, |
  /// ```
  public func startWith(_ first: Element...) -> Observable {
    Observable { downstream, subscription in
      for value in first {
        if subscription.isDisposed { return }
        downstream.next(value)
      }
      if !subscription.isDisposed { attach(downstream, in: subscription) }
    }
  }
}
