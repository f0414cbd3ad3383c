extension Observable {
  /// Joins each element to the one before it.
  ///
  ///     a--b--c--|
  ///     ---x--y--|   adjacentPairs()   x = (a, b), y = (b, c)
  ///
  /// Known as `pairwise` in RxJS.
  /// ```
  /// Observable.from([1, 4, 9]).adjacentPairs().map { $1 - $0 }  // 3, 5, |
  /// ```
  public func adjacentPairs() -> Observable<(Element, Element)> {
    scan(into: (before: Element?.none, last: Element?.none)) { pair, element in
      pair = (pair.last, element)
    }.compactMap { pair in
      guard let before = pair.before, let last = pair.last else { return nil }
      return (before, last)
    }
  }
}
