extension Observable {
  /// Emits one source after another, each starting when the one before is over.
  ///
  ///     a--b|
  ///         c--d|
  ///     a--bc--d|   concat([first, second])
  ///
  /// A row inside a row is part of it, so that pages that name the next one, `just(rows).concat(.deferred { page(next) })`,
  /// may be as many as they like. Where each page goes through further operators it is `expand` that takes no stack; a row
  /// that would overflow it fails.
  /// ```
  /// Observable.concat([Observable.from([1, 2]), Observable.just(3)])  // 1, 2, 3, |
  /// ```
  public static func concat(_ sources: [Observable]) -> Observable {
    Observable { downstream, subscription in
      if subscription.isRound, let outer = downstream as? Sequencer<Element, [Observable]>.Round,
        outer.giveWay(in: subscription, to: { left in left += sources.reversed() })
      {
        return
      }
      // In the state, so that a source is not held by what it feeds once it has begun.
      Sequencer(downstream, subscription, state: Array(sources.reversed())) { left, last, _ in
        if let last, case .failed = last { return .finish(last) }
        guard let source = left.popLast() else { return .finish(.completed) }
        return .attach(source)
      }.start()
    }
  }

  /// Emits one source after another.
  ///
  /// ```
  /// Observable.concat(Observable.just(1), Observable.just(2))  // 1, 2, |
  /// ```
  public static func concat(_ sources: Observable...) -> Observable {
    concat(sources)
  }

  /// Emits this stream, then another.
  ///
  /// ```
  /// Observable.just(1).concat(Observable.just(2))  // 1, 2, |
  /// ```
  public func concat(_ other: Observable) -> Observable {
    Observable.concat([self, other])
  }
}

extension Observable {
  /// Emits some elements before those of the stream.
  ///
  ///     ---b--|
  ///     a--b--|   startWith(a)
  /// ```
  /// Observable.just(3).startWith(1, 2)  // 1, 2, 3, |
  /// ```
  public func startWith(_ first: Element...) -> Observable {
    Observable { [self] downstream, subscription in
      for value in first {
        if subscription.isDisposed { return }
        downstream.next(value)
      }
      if !subscription.isDisposed { attach(downstream, in: subscription) }
    }
  }
}
