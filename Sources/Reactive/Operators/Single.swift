extension Observable {
  /// Emits the only element, when the stream completes; fails if there is none, or at once if there is another.
  ///
  ///     a-----|
  ///     ------(a|)   single()
  ///     a--b--|
  ///     ---#         single()
  ///
  /// As in RxJS and RxJava; RxSwift's emits the element before it knows that it is the only one. RxSwift's type `Single`
  /// is an `Observable` here: this makes sure of its one element, and `value` awaits it.
  /// ```
  /// Observable.just(1).single()  // 1, |
  /// ```
  public func single() -> Observable {
    take(2).toArray().map { elements in
      guard let first = elements.first else { throw ReactiveError.noElement }
      if elements.count > 1 { throw ReactiveError.severalElements }
      return first
    }
  }

  /// Emits the only element that satisfies a condition, when the stream completes.
  ///
  /// ```
  /// Observable.from(1...4).single(where: { $0 > 3 })  // 4, |
  /// ```
  public func single(where condition: @escaping @Sendable (Element) throws -> Bool) -> Observable {
    filter(condition).single()
  }

  /// Emits the element at a position, counted from zero, and completes; fails if the stream completes before it.
  ///
  ///     a--b--c--|
  ///     ---(b|)      element(at: 1)
  /// ```
  /// Observable.from(1...4).element(at: 2)  // 3, |
  /// ```
  public func element(at index: Int) -> Observable {
    index < 0
      ? .fail(ReactiveError.noElement) : skip(index).first().ifEmpty(switchTo: .fail(ReactiveError.noElement))
  }
}
