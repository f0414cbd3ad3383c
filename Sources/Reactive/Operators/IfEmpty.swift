extension Observable {
  /// Continues with another stream when this one completes without an element.
  ///
  ///     ---|
  ///        a--b|
  ///     ---a--b|   ifEmpty(switchTo: other)
  /// ```
  /// Observable<Int>.empty().ifEmpty(switchTo: Observable.from(1...2))  // 1, 2, |
  /// ```
  public func ifEmpty(switchTo other: Observable) -> Observable {
    Observable { downstream, subscription in
      // The sources in the state, so that neither is held by what it feeds once it has begun.
      Sequencer(downstream, subscription, state: [other, self]) { left, last, progressed in
        guard let last else { return left.popLast().map { .attach($0) } ?? .finish(.completed) }
        guard case .completed = last, !progressed, let other = left.popLast() else { return .finish(last) }
        return .attach(other)
      }.start()
    }
  }

  /// Emits one element when the stream completes without any.
  ///
  /// ```
  /// Observable<Int>.empty().ifEmpty(default: 0)  // 0, |
  /// ```
  public func ifEmpty(default value: Element) -> Observable {
    ifEmpty(switchTo: .just(value))
  }
}
