extension Observable {
  /// Emits the newest of the streams that this stream emits, leaving the one before.
  ///
  ///     A-B------|
  ///     -1--2|        A
  ///       -3--4|      B
  ///     -1-3--4--|    switchLatest()
  /// ```
  /// Observable.from([Observable.just(1), Observable.just(2)]).switchLatest()  // 1, 2, |
  /// ```
  public func switchLatest<Output: Sendable>() -> Observable<Output> where Element == Observable<Output> {
    flatMapLatest { $0 }
  }
}
