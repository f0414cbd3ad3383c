extension Observable {
  /// Gathers adjacent elements that belong together into lists; a list ends before the first that does not belong to the
  /// one ahead of it, and at completion.
  ///
  ///     1--2--5--6--|
  ///     ------x-----(y|)   chunked { $1 == $0 + 1 }   x = [1, 2], y = [5, 6]
  ///
  /// A failure drops the list that is not finished, as that of `buffer`. A list of more than `limit` elements is a failure.
  /// ```
  /// Observable.from([1, 2, 5, 6]).chunked { $1 == $0 + 1 }  // [1, 2], [5, 6], |
  /// ```
  public func chunked(
    limit: Int = 65_536, by belongTogether: @escaping @Sendable (Element, Element) throws -> Bool
  ) -> Observable<[Element]> {
    Observable<[Element]> { [self] downstream, subscription in
      attach(ChunkObserver(downstream, subscription, limit, belongTogether), in: subscription)
    }
  }

  /// Gathers adjacent elements with one key into lists, with the key.
  ///
  /// ```
  /// Observable.from([1, 3, 4, 5]).chunked(on: { $0 % 2 }).map { "\($0): \($1)" }  // 1: [1, 3], 0: [4], 1: [5], |
  /// ```
  public func chunked<Key: Equatable & Sendable>(
    limit: Int = 65_536, on key: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<(Key, [Element])> {
    map { (key: try key($0), element: $0) }.chunked(limit: limit) { $0.key == $1.key }
      .map { ($0[0].key, $0.map(\.element)) }
  }
}

private final class ChunkObserver<Element: Sendable>: HoldingStage {
  let downstream: any Observer<[Element]>
  let subscription: Subscription
  private let limit: Int
  private let belongTogether: @Sendable (Element, Element) throws -> Bool
  let serializer = Serializer([Element]())

  init(
    _ downstream: any Observer<[Element]>, _ subscription: Subscription, _ limit: Int,
    _ belongTogether: @escaping @Sendable (Element, Element) throws -> Bool
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.limit = limit
    self.belongTogether = belongTogether
  }

  func accept(_ value: Element) {
    guard let last = serializer.state.last else { return serializer.state = [value] }
    do {
      if try !belongTogether(last, value) {
        let chunk = serializer.state
        serializer.state = [value]
        return downstream.next(chunk)
      }
      if serializer.state.count >= limit {
        throw ReactiveError.overflow(what: "a list of chunked", limit: limit)
      }
      serializer.state.append(value)
    } catch {
      serializer.state = []
      downstream.fail(error)
    }
  }

  func close(_ termination: Termination) {
    if case .completed = termination, !serializer.state.isEmpty { downstream.next(serializer.state) }
    serializer.state = []
  }
}
