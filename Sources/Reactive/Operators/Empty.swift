extension Observable {
  /// Completes at once, without an element.
  ///
  ///     |   empty()
  /// ```
  /// Observable<Int>.empty()  // |
  /// ```
  public static func empty() -> Observable {
    Observable { observer, _ in observer.complete() }
  }
}
