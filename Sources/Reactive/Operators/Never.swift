extension Observable {
  /// Emits nothing and does not end.
  ///
  ///     ----   never()
  /// ```
  /// Observable<Int>.never().take(for: .seconds(1), on: clock)  // |
  /// ```
  public static func never() -> Observable {
    Observable { _, _ in }
  }
}
