extension Observable {
  /// Emits one element and completes.
  ///
  ///     (a|)   just(a)
  /// ```
  /// Observable.just(7)  // 7, |
  /// ```
  public static func just(_ value: Element) -> Observable {
    Observable(scalar: value)
  }
}
