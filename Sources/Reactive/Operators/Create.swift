extension Observable {
  /// Makes a source out of anything that can call an emitter, now or later, from any thread.
  ///
  ///     --a---b|   create { emitter in … }
  ///
  /// The emitter keeps the grammar: calls are passed on one at a time, and nothing after a terminal.
  /// ```
  /// Observable<Int>.create { $0.next(1); $0.complete(); $0.next(2) }  // 1, |
  /// ```
  public static func create(_ start: @escaping @Sendable (Emitter<Element>) throws -> Void) -> Observable {
    Observable { observer, subscription in
      let emitter = Emitter(observer, subscription)
      do { try start(emitter) } catch { emitter.fail(error) }
    }
  }
}

/// The sending side of `Observable.create`.
public final class Emitter<Element: Sendable>: Observer {
  private let downstream: any Observer<Element>
  private let subscription: Subscription
  private let serializer = Serializer(false)  // whether a terminal has passed

  init(_ downstream: any Observer<Element>, _ subscription: Subscription) {
    self.downstream = downstream
    self.subscription = subscription
  }

  /// Whether the subscription has ended, so that there is no point in emitting more.
  public var isDisposed: Bool { subscription.isDisposed }

  /// Runs `cleanUp` when the subscription ends, for whatever reason.
  public func onDispose(_ cleanUp: @escaping @Sendable () -> Void) {
    subscription.onDispose(cleanUp)
  }

  /// Sends an element.
  public func next(_ value: Element) {
    serializer.turn(self, value) { $0.send($1) }
  }

  /// Sends several elements at once.
  public func next(batch: [Element]) {
    serializer.pass { [self] in
      if !serializer.state { downstream.take(batch, in: subscription) }
    }
  }

  /// Ends the stream with an error.
  public func fail(_ error: any Error) {
    serializer.pass { [self] in end(.failed(error)) }
  }

  /// Ends the stream.
  public func complete() {
    serializer.turn(self, Termination.completed) { $0.end($1) }
  }

  private func send(_ value: Element) {
    if !serializer.state, !isDisposed { downstream.next(value) }
  }

  private func end(_ terminal: Termination) {
    if serializer.state || isDisposed { return }
    serializer.state = true
    terminal.deliver(to: downstream)
  }
}
