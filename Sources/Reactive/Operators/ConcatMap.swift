extension Observable {
  /// Turns each element into a stream and emits them one after another, each starting when the one before is over.
  ///
  ///     a-b------|
  ///     -1--2|        what a is turned into
  ///          -3--4|   what b is turned into
  ///     -1--2-3--4|   concatMap { … }
  ///
  /// Elements that come meanwhile wait; more than `backlog` waiting is a failure.
  /// ```
  /// Observable.from(1...2).concatMap { Observable.from([$0, -$0]) }  // 1, -1, 2, -2, |
  /// ```
  public func concatMap<Output: Sendable>(
    backlog: Int = 65_536, _ transform: @escaping @Sendable (Element) throws -> Observable<Output>
  ) -> Observable<Output> {
    flatMap(limit: 1, backlog: backlog, transform)
  }
}
