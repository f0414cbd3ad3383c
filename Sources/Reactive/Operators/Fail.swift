extension Observable {
  /// Fails at once.
  ///
  ///     #   fail(error)
  /// ```
  /// Observable<Int>.fail(Oops())  // #
  /// ```
  public static func fail(_ error: any Error) -> Observable {
    Observable { observer, _ in observer.fail(error) }
  }
}
