extension Observable {
  /// Emits what all of the sources emit, as it comes; completes when all have.
  ///
  ///     a-----b----|
  ///     ---1----2----|
  ///     a--1--b-2----|   merge([letters, digits])
  /// ```
  /// Observable.merge([Observable.from([1, 2]), Observable.just(3)])  // 1, 2, 3, |
  /// ```
  public static func merge(_ sources: [Observable]) -> Observable {
    Observable { downstream, subscription in
      let outlet = SerializedOutlet(downstream)
      let open = Countdown(from: sources.count) { outlet.complete() }
      for source in sources {
        if subscription.isDisposed { return }
        source.feed(
          subscription, next: { outlet.next($0) }, fail: { outlet.fail($0) }, complete: { open.signal() })
      }
    }
  }

  /// Emits what all of the sources emit, as it comes.
  ///
  /// ```
  /// Observable.merge(Observable.just(1), Observable.just(2))  // 1, 2, |
  /// ```
  public static func merge(_ sources: Observable...) -> Observable {
    merge(sources)
  }

  /// Emits what this stream and another emit, as it comes.
  ///
  /// ```
  /// Observable.just(1).merge(with: Observable.just(2))  // 1, 2, |
  /// ```
  public func merge(with other: Observable) -> Observable {
    Observable.merge([self, other])
  }
}
