extension Observable {
  /// Emits the elements of a sequence, as fast as they are taken, and completes.
  ///
  ///     (abc|)   from([a, b, c])
  /// ```
  /// Observable.from(["a", "b"])  // a, b, |
  /// ```
  @inlinable
  public static func from<Elements: Sequence & Sendable>(_ elements: Elements) -> Observable
  where Elements.Element == Element {
    Observable { observer, subscription in
      for element in elements {
        if subscription.isDisposed { return }
        observer.next(element)
      }
      if !subscription.isDisposed { observer.complete() }
    }
  }
}
