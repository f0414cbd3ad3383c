extension Observable {
  /// Turns events, terminals included, into elements.
  ///
  ///     a--b--#
  ///     a--b--(#|)   materialize()
  /// ```
  /// Observable.just(1).materialize().map { $0.isTerminal }  // false, true, |
  /// ```
  public func materialize() -> Observable<StreamEvent<Element>> {
    Observable<StreamEvent<Element>> { [self] downstream, subscription in
      attach(MaterializeObserver(downstream, subscription), in: subscription)
    }
  }

  /// Turns events back into elements and terminals.
  ///
  /// ```
  /// Observable.from([StreamEvent.next(1), .completed, .next(2)]).dematerialize { $0 }  // 1, |
  /// ```
  public func dematerialize<Output: Sendable>(
    _ event: @escaping @Sendable (Element) throws -> StreamEvent<Output>
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      attach(DematerializeObserver(downstream, event), in: subscription)
    }
  }
}

private final class MaterializeObserver<Element: Sendable>: Stage {
  let downstream: any Observer<StreamEvent<Element>>
  private let subscription: Subscription

  init(_ downstream: any Observer<StreamEvent<Element>>, _ subscription: Subscription) {
    self.downstream = downstream
    self.subscription = subscription
  }

  func next(_ value: Element) {
    downstream.next(.next(value))
  }

  func fail(_ error: any Error) {
    end(with: .failed(error))
  }

  func complete() {
    end(with: .completed)
  }

  private func end(with event: StreamEvent<Element>) {
    downstream.next(event)
    if !subscription.isDisposed { downstream.complete() }
  }
}

private final class DematerializeObserver<Element: Sendable, Output: Sendable>: Stage {
  let downstream: any Observer<Output>
  private let event: @Sendable (Element) throws -> StreamEvent<Output>

  init(
    _ downstream: any Observer<Output>,
    _ event: @escaping @Sendable (Element) throws -> StreamEvent<Output>
  ) {
    self.downstream = downstream
    self.event = event
  }

  func next(_ value: Element) {
    do {
      switch try event(value) {
      case .next(let output): downstream.next(output)
      case .failed(let error): downstream.fail(error)
      case .completed: downstream.complete()
      }
    } catch {
      downstream.fail(error)
    }
  }
}
