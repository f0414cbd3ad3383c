extension Observable {
  /// Pairs the first elements of all sources, then the second, and so on, as lists.
  ///
  ///     a--b-----c--|
  ///     -1-----2----|
  ///     -x-----y----|   zip([letters, digits])   x = [a, 1], y = [b, 2]
  ///
  /// Completes when all have; what a source emits after another has ended is discarded, once that has nothing left.
  /// A source may be ahead by `backlog` elements; more is a failure.
  /// ```
  /// Observable.zip([Observable.from([1, 2, 3]), Observable.from([10, 20])])  // [1, 10], [2, 20], |
  /// ```
  public static func zip(_ sources: [Observable], backlog: Int = 65_536) -> Observable<[Element]> {
    Observable<[Element]> { downstream, subscription in
      if sources.isEmpty { return downstream.complete() }
      // The list that goes out, changed in place unless an observer downstream has kept it.
      let row = Unguarded<[Element]>([])
      let zipper = MixedZipper(downstream, subscription, backlog, sources.count) { lines, state in
        var index = 0
        while index < lines.count {
          let first = known(lines[index], as: ZipLine<Element>.self).takeFirst(&state)
          if index < row.value.count { row.value[index] = first } else { row.value.append(first) }
          index += 1
        }
        return row.value
      }
      // By index: the type of an iterator would have to be looked up.
      var index = 0
      while index < sources.count {
        zipper.attach(sources[index], index)
        index += 1
      }
    }
  }

  /// Pairs the first element of this stream with the first of another, then the second, and so on.
  ///
  /// ```
  /// Observable.from([1, 2]).zip(Observable.from(["a", "b"])) { "\($0)\($1)" }  // 1a, 2b, |
  /// ```
  public func zip<Other: Sendable, Output: Sendable>(
    _ other: Observable<Other>, backlog: Int = 65_536,
    _ transform: @escaping @Sendable (Element, Other) throws -> Output
  ) -> Observable<Output> {
    Observable<Output>.zip(self, other, backlog: backlog, transform: transform)
  }
}
