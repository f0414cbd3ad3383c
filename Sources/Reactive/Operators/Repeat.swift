extension Observable {
  /// Subscribes again each time the stream completes: `times` in all, or without end.
  ///
  ///     a-b|
  ///     a-ba-b|   repeat(2)
  /// ```
  /// Observable.from([1, 2]).repeat(2)  // 1, 2, 1, 2, |
  /// ```
  public func `repeat`(_ times: Int = .max) -> Observable {
    Observable { downstream, subscription in
      Succession(downstream, subscription, state: 0) { count, last, _ in
        if let last, case .failed = last { return .finish(last) }
        if count >= times { return .finish(.completed) }
        count += 1
        return .attach(self)
      }.advance()
    }
  }
}
