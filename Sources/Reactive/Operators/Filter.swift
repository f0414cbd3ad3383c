extension Observable {
  /// Passes on the elements that satisfy a condition.
  ///
  ///     1--2--3--4--|
  ///     ---2-----4--|   filter { $0.isMultiple(of: 2) }
  /// ```
  /// Observable.from(1...4).filter { $0.isMultiple(of: 2) }  // 2, 4, |
  /// ```
  public func filter(_ isIncluded: @escaping @Sendable (Element) throws -> Bool) -> Observable {
    Observable { [self] downstream, subscription in
      attach(FilterObserver(downstream, isIncluded), in: subscription)
    }
  }
}

private final class FilterObserver<Element: Sendable>: Stage {
  let downstream: any Observer<Element>
  private let isIncluded: @Sendable (Element) throws -> Bool

  init(_ downstream: any Observer<Element>, _ isIncluded: @escaping @Sendable (Element) throws -> Bool) {
    self.downstream = downstream
    self.isIncluded = isIncluded
  }

  @inline(__always)
  func next(_ value: Element) {
    do { guard try isIncluded(value) else { return } } catch { return downstream.fail(error) }
    downstream.next(value)
  }
}

extension Observable {
  /// Lets only the terminal through.
  ///
  ///     a--b--|
  ///     ------|   ignoreElements()
  /// ```
  /// Observable.from(1...3).ignoreElements()  // |
  /// ```
  public func ignoreElements() -> Observable {
    filter { _ in false }
  }
}
