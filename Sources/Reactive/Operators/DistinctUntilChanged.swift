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
    Observable { downstream, subscription in
      attach(ChangeObserver(downstream, key), in: subscription)
    }
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

private final class ChangeObserver<Element: Sendable, Key: Equatable & Sendable>: Stage {
  let downstream: any Observer<Element>
  private let key: @Sendable (Element) throws -> Key
  private let turn = Turnstile(())
  private let last = Kept<Key>()

  init(_ downstream: any Observer<Element>, _ key: @escaping @Sendable (Element) throws -> Key) {
    self.downstream = downstream
    self.key = key
  }

  func next(_ value: Element) {
    guard turn.enter() else { return turn.later { [self] in compare(value) } }
    compare(value)
    turn.leave()
  }

  private func compare(_ value: Element) {
    let key: Key
    do { key = try self.key(value) } catch { return downstream.fail(error) }
    if !last.isVacant, last.value == key { return }
    last.fill(key)
    downstream.next(value)
  }
}
