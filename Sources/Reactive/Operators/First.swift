extension Observable {
  /// Emits the first element that satisfies a condition and completes.
  ///
  ///     1--2--3--|
  ///     ---(2|)      first(where: { $0 > 1 })
  /// ```
  /// Observable.from(1...9).first(where: { $0 > 3 })  // 4, |
  /// ```
  public func first(where condition: @escaping @Sendable (Element) throws -> Bool) -> Observable {
    filter(condition).take(1)
  }

  /// Emits the first element and completes.
  ///
  /// ```
  /// Observable.from(1...9).first()  // 1, |
  /// ```
  public func first() -> Observable {
    take(1)
  }
}
