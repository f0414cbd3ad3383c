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

private final class ChangeObserver<Element: Sendable, Key: Equatable & Sendable>: SerializedStage {
  let downstream: any Observer<Element>
  private let key: @Sendable (Element) throws -> Key
  let turn = Serializer(())
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
