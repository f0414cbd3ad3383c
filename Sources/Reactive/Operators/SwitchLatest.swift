extension Observable {
  /// Emits the newest of the streams that this stream emits, leaving the one before.
  ///
  ///     A------B-----|
  ///     -a1-a2--b1-b2-|   switchLatest()
  /// ```
  /// Observable.from([Observable.just(1), Observable.just(2)]).switchLatest()  // 1, 2, |
  /// ```
  public func switchLatest<Output: Sendable>() -> Observable<Output> where Element == Observable<Output> {
    flatMapLatest { $0 }
  }
}
