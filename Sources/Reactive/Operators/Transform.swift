extension Observable {
  /// Turns each element into any number of others, with a state: an operator of one's own.
  ///
  ///     1--2--2--3--|
  ///     1--2-----3--(6|)   transform(from: 0, { if $1 != $0 { $2($1) }; $0 = $1 }, atEnd: { $1($0 * 2) })
  ///
  /// The closures are called one at a time, whichever threads the elements come from, and what they emit goes
  /// downstream at once. `atEnd` is called when the source has completed, not when it has failed.
  /// ```
  /// extension Observable where Element == Int {
  ///   /// The elements that are larger than all before them.
  ///   func records() -> Observable {
  ///     transform(from: Int.min) { largest, value, emit in
  ///       guard value > largest else { return }
  ///       largest = value
  ///       emit(value)
  ///     }
  ///   }
  /// }
  /// Observable.from([3, 1, 4, 1, 5]).records()  // 3, 4, 5, |
  /// ```
  public func transform<State: Sendable, Output: Sendable>(
    from initial: State,
    _ take: @escaping @Sendable (inout State, Element, _ emit: (Output) -> Void) throws -> Void,
    atEnd finish: (@Sendable (inout State, _ emit: (Output) -> Void) throws -> Void)? = nil
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      attach(TransformObserver(downstream, subscription, initial, take, finish), in: subscription)
    }
  }
}

private final class TransformObserver<Element: Sendable, State: Sendable, Output: Sendable>: HoldingStage {
  typealias Emit = (Output) -> Void

  let downstream: any Observer<Output>
  let subscription: Subscription
  let serializer: Serializer<State>
  private let take: @Sendable (inout State, Element, Emit) throws -> Void
  private let finish: (@Sendable (inout State, Emit) throws -> Void)?

  init(
    _ downstream: any Observer<Output>, _ subscription: Subscription, _ initial: State,
    _ take: @escaping @Sendable (inout State, Element, Emit) throws -> Void,
    _ finish: (@Sendable (inout State, Emit) throws -> Void)?
  ) {
    (self.downstream, self.subscription) = (downstream, subscription)
    serializer = Serializer(initial)
    (self.take, self.finish) = (take, finish)
  }

  func accept(_ value: Element) {
    do { try take(&serializer.state, value) { downstream.next($0) } } catch { downstream.fail(error) }
  }

  func close(_ termination: Termination) {
    guard case .completed = termination, let finish else { return }
    do { try finish(&serializer.state) { downstream.next($0) } } catch { downstream.fail(error) }
  }
}
