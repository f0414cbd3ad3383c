extension Observable {
  /// Lets everything through, and writes a line about each thing that happens.
  ///
  ///     a--b--|
  ///     a--b--|   debug("polls", to: { log($0) })
  /// ```
  /// Observable.just(1).debug("one", to: { print($0) })  // 1, |
  /// ```
  public func debug(_ label: String, to write: @escaping @Sendable (String) -> Void) -> Observable {
    `do`(
      next: { write("\(label): next \($0)") },
      fail: { write("\(label): fail \($0)") },
      complete: { write("\(label): complete") },
      subscribe: { write("\(label): subscribe") },
      dispose: { write("\(label): dispose") })
  }
}
