extension Observable {
  /// Gathers all elements into one list, emitted when the stream completes.
  ///
  ///     a--b--c--|
  ///     ---------(x|)   toArray()   x = [a, b, c]
  ///
  /// More than `limit` elements are a failure. Awaited, it is all there is: `try await rows.toArray().value`.
  /// ```
  /// Observable.from(1...3).toArray()  // [1, 2, 3], |
  /// ```
  @inlinable
  public func toArray(limit: Int = 1_000_000) -> Observable<[Element]> {
    reduce(into: []) { all, element in
      if all.count >= limit { throw ReactiveError.overflow(what: "the list of toArray", limit: limit) }
      all.append(element)
    }
  }
}
