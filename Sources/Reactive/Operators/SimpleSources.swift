extension Observable {
  /// Emits one element and completes.
  ///
  ///     (a|)   just(a)
  /// ```
  /// Observable.just(7)  // 7, |
  /// ```
  public static func just(_ value: Element) -> Observable {
    SoleElement(value)
  }
}

extension Observable {
  /// Emits the elements of a sequence, as fast as they are taken, and completes.
  ///
  ///     (abc|)   from([a, b, c])
  ///
  /// Where tasks take them, in `values` and in `map { await … }`, it is asked for the next ones when there is room.
  /// ```
  /// Observable.from(["a", "b"])  // a, b, |
  /// ```
  @inlinable
  public static func from<Elements: Sequence & Sendable>(_ elements: Elements) -> Observable
  where Elements.Element == Element {
    Observable(elements)
  }

  /// Emits the elements of a sequence: `from(_:)`.
  @inlinable
  public convenience init<Elements: Sequence & Sendable>(_ elements: Elements)
  where Elements.Element == Element {
    self.init { observer, subscription in
      if let room = subscription.room {
        return PausingSource(elements.makeIterator(), observer, subscription, room).goOn()
      }
      for element in elements {
        if subscription.isDisposed { return }
        observer.next(element)
      }
      if !subscription.isDisposed { observer.complete() }
    }
  }
}

extension Observable {
  /// Completes at once, without an element.
  ///
  ///     |   empty()
  /// ```
  /// Observable<Int>.empty()  // |
  /// ```
  @inlinable
  public static func empty() -> Observable {
    Observable { observer, _ in observer.complete() }
  }
}

extension Observable {
  /// Emits nothing and does not end.
  ///
  ///     ----   never()
  /// ```
  /// Observable<Int>.never().take(for: .seconds(1), on: clock)  // |
  /// ```
  @inlinable
  public static func never() -> Observable {
    Observable { _, _ in }
  }
}

extension Observable {
  /// Fails at once.
  ///
  ///     #   fail(error)
  /// ```
  /// Observable<Int>.fail(Oops())  // #
  /// ```
  @inlinable
  public static func fail(_ error: any Error) -> Observable {
    Observable { observer, _ in observer.fail(error) }
  }
}

extension Observable {
  /// Makes a new observable for each subscription.
  ///
  ///     ---a--b--|   deferred { source }
  /// ```
  /// Observable.deferred { Observable.just(6 * 7) }  // 42, |
  /// ```
  public static func deferred(_ make: @escaping @Sendable () throws -> Observable) -> Observable {
    Observable { observer, subscription in
      let source: Observable
      do { source = try make() } catch { return observer.fail(error) }
      source.attach(observer, in: subscription)
    }
  }
}
