extension Observable {
  /// Lets only the terminal through.
  ///
  ///     a--b--|
  ///     ------|   ignoreElements()
  /// ```
  /// Observable.from(1...3).ignoreElements()  // |
  /// ```
  public func ignoreElements() -> Observable {
    filter { _ in false }
  }
}
