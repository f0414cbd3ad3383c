import Synchronization

extension Observable {
  /// Emits what all of the sources emit, as it comes; completes when all have.
  ///
  ///     a-----b----|
  ///     ---1----2----|
  ///     a--1--b-2----|   merge([letters, digits])
  /// ```
  /// Observable.merge([Observable.from([1, 2]), Observable.just(3)])  // 1, 2, 3, |
  /// ```
  public static func merge(_ sources: [Observable]) -> Observable {
    Observable { downstream, subscription in
      if sources.isEmpty { return downstream.complete() }
      let merger = Merger(downstream, count: sources.count)
      for source in sources {
        if subscription.isDisposed { return }
        if source.takeSole({ merger.take($0, at: 0) }) {
          if !subscription.isDisposed { merger.close(0) }
        } else {
          source.feed(merger, subscription)
        }
      }
    }
  }

  /// Emits what all of the sources emit, as it comes.
  ///
  /// ```
  /// Observable.merge(Observable.just(1), Observable.just(2))  // 1, 2, |
  /// ```
  public static func merge(_ sources: Observable...) -> Observable {
    merge(sources)
  }

  /// Emits what this stream and another emit, as it comes.
  ///
  /// ```
  /// Observable.just(1).merge(with: Observable.just(2))  // 1, 2, |
  /// ```
  public func merge(with other: Observable) -> Observable {
    Observable.merge([self, other])
  }
}

private final class Merger<Element: Sendable>: InputOwner {
  private let outlet: SerializedOutlet<Element>
  private let open: Atomic<Int>

  init(_ downstream: any Observer<Element>, count: Int) {
    outlet = SerializedOutlet(downstream)
    open = Atomic(count)
  }

  func take(_ value: Element, at index: Int) { outlet.next(value) }
  func fail(_ error: any Error, at index: Int) { outlet.fail(error) }

  func close(_ index: Int) {
    if open.subtract(1, ordering: .acquiringAndReleasing).newValue == 0 { outlet.complete() }
  }
}
