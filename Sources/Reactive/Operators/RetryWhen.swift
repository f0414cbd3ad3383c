extension Observable {
  /// Subscribes again when the stream fails and another stream, made of its errors, emits.
  ///
  ///     a-#
  ///          a-#
  ///     a----a----   retry(when: { errors in errors.delay(for: .seconds(3), on: clock) })
  ///
  /// When that stream completes or fails, so does this one, in place of its next failure. What it emits while no failure
  /// waits counts for nothing.
  /// For pauses that grow with each failure in a row there is `retry(_:on:)`.
  /// ```
  /// Observable.just(1).concat(.fail(Oops())).retry(when: { $0.take(1) })  // 1, 1, |
  /// ```
  public func retry<Trigger: Sendable>(
    when triggers: @escaping @Sendable (_ errors: Observable<any Error>) throws -> Observable<Trigger>
  ) -> Observable {
    Observable { downstream, subscription in
      RetryRounds(self, downstream, subscription).start(triggers)
    }
  }
}

private final class RetryRounds<Element: Sendable>: Sendable {
  private let source: Observable<Element>
  private let outlet: SerializedOutlet<Element>
  private let subscription: Subscription
  private let errors = PublishSubject<any Error>()
  private let serializer = Serializer(Round())

  private struct Round: Sendable {
    /// Whether a failure waits for its trigger.
    var hasFailed = false
    /// The end of the triggers.
    var end: Termination?
  }

  init(_ source: Observable<Element>, _ downstream: any Observer<Element>, _ subscription: Subscription) {
    self.source = source
    self.subscription = subscription
    outlet = SerializedOutlet(downstream)
  }

  func start<Trigger>(_ make: (Observable<any Error>) throws -> Observable<Trigger>) {
    let triggers: Observable<Trigger>
    do { triggers = try make(errors.observable) } catch { return outlet.fail(error) }
    triggers.feed(
      subscription, next: { [self] _ in startAgain() }, fail: { [self] in end(.failed($0)) },
      complete: { [self] in end(.completed) })
    attach()
  }

  private func attach() {
    if subscription.isDisposed { return }
    source.feed(
      subscription, next: { [outlet] in outlet.next($0) }, fail: { [self] in wait(after: $0) },
      complete: { [outlet] in outlet.complete() })
  }

  private func wait(after error: any Error) {
    serializer.pass { [serializer, outlet] in
      serializer.state.hasFailed = true
      serializer.state.end?.deliver(to: outlet)
    }
    errors.next(error)
  }

  private func end(_ termination: Termination) {
    serializer.pass { [serializer, outlet] in
      serializer.state.end = termination
      if serializer.state.hasFailed { termination.deliver(to: outlet) }
    }
  }

  private func startAgain() {
    serializer.pass { [self] in
      if !serializer.state.hasFailed { return }
      serializer.state.hasFailed = false
      attach()
    }
  }
}
