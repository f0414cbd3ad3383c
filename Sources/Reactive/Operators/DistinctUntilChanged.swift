extension Observable {
  /// Drops an element whose key equals that of the one before it.
  ///
  ///     a-a-b-b-a--|
  ///     a---b---a--|   distinctUntilChanged { $0 }
  /// ```
  /// Observable.from([1, 1, 2, 2, 1]).distinctUntilChanged { $0 }  // 1, 2, 1, |
  /// ```
  public func distinctUntilChanged<Key: Equatable & Sendable>(
    _ key: @escaping @Sendable (Element) throws -> Key
  ) -> Observable {
    Observable { [self] downstream, subscription in
      attach(ChangeObserver(downstream, key), in: subscription)
    }
  }
}

extension Observable {
  /// Drops an element that is the same as the last one that was emitted, as `isSame` has it.
  ///
  /// ```
  /// Observable.from([1.0, 1.1, 1.6]).distinctUntilChanged(by: { abs($0 - $1) < 0.5 })  // 1.0, 1.6, |
  /// ```
  public func distinctUntilChanged(
    by isSame: @escaping @Sendable (Element, Element) throws -> Bool
  ) -> Observable {
    scan(into: (last: Element?.none, isNew: false)) { state, element in
      if let last = state.last, try isSame(last, element) {
        state.isNew = false
      } else {
        state = (element, true)
      }
    }.compactMap { $0.isNew ? $0.last : nil }
  }
}

extension Observable where Element: Equatable {
  /// Drops an element that equals the one before it.
  ///
  /// ```
  /// Observable.from([1, 1, 2]).distinctUntilChanged()  // 1, 2, |
  /// ```
  public func distinctUntilChanged() -> Observable {
    distinctUntilChanged { $0 }
  }
}

private final class ChangeObserver<Element: Sendable, Key: Equatable & Sendable>: SerializedStage {
  let downstream: any Observer<Element>
  private let key: @Sendable (Element) throws -> Key
  let serializer = DrainLoop()
  private let last = Unguarded<Key>()

  init(_ downstream: any Observer<Element>, _ key: @escaping @Sendable (Element) throws -> Key) {
    self.downstream = downstream
    self.key = key
  }

  func accept(_ value: Element) {
    let key: Key
    do { key = try self.key(value) } catch { return downstream.fail(error) }
    if !last.isVacant, last.value == key { return }
    last.fill(key)
    downstream.next(value)
  }
}
