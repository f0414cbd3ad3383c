// Calls of RxSwift whose closures have labels that are others here. One for each usual set of labels, since the compiler
// can offer to change a call only where the new name has as many as that.

extension Observable {
  @available(
    *, unavailable,
    message: "the elements come here: subscribe(next:fail:complete:); materialize() makes events of them"
  )
  public func subscribe(_ on: @escaping @Sendable (StreamEvent<Element>) -> Void) -> Subscription {
    uncallable()
  }

  @available(*, unavailable, renamed: "subscribe(next:)")
  public func subscribe(onNext: @escaping @Sendable (Element) -> Void) -> Subscription { uncallable() }

  @available(*, unavailable, renamed: "subscribe(next:fail:)")
  public func subscribe(
    onNext: @escaping @Sendable (Element) -> Void, onError: @escaping @Sendable (any Error) -> Void
  ) -> Subscription { uncallable() }

  @available(*, unavailable, renamed: "subscribe(next:complete:)")
  public func subscribe(
    onNext: @escaping @Sendable (Element) -> Void, onCompleted: @escaping @Sendable () -> Void
  ) -> Subscription { uncallable() }

  @available(*, unavailable, renamed: "subscribe(next:fail:complete:)")
  public func subscribe(
    onNext: @escaping @Sendable (Element) -> Void, onError: @escaping @Sendable (any Error) -> Void,
    onCompleted: @escaping @Sendable () -> Void
  ) -> Subscription { uncallable() }

  @available(*, unavailable, renamed: "subscribe(fail:)")
  public func subscribe(onError: @escaping @Sendable (any Error) -> Void) -> Subscription { uncallable() }

  @available(*, unavailable, renamed: "subscribe(complete:)")
  public func subscribe(onCompleted: @escaping @Sendable () -> Void) -> Subscription { uncallable() }

  @available(*, unavailable, renamed: "subscribe(fail:complete:)")
  public func subscribe(
    onError: @escaping @Sendable (any Error) -> Void, onCompleted: @escaping @Sendable () -> Void
  ) -> Subscription { uncallable() }

  @available(
    *, unavailable,
    message:
      "subscribe(next:fail:complete:); what is to happen at a dispose too is subscription.onDispose { … }"
  )
  public func subscribe(
    onNext: (@Sendable (Element) -> Void)? = nil, onError: (@Sendable (any Error) -> Void)? = nil,
    onCompleted: (@Sendable () -> Void)? = nil, onDisposed: (@Sendable () -> Void)?
  ) -> Subscription { uncallable() }
}

// `Single` and `Maybe`, which are observables here.
extension Observable {
  @available(*, unavailable, renamed: "subscribe(next:)")
  public func subscribe(onSuccess: @escaping @Sendable (Element) -> Void) -> Subscription { uncallable() }

  @available(*, unavailable, renamed: "subscribe(next:fail:)")
  public func subscribe(
    onSuccess: @escaping @Sendable (Element) -> Void, onFailure: @escaping @Sendable (any Error) -> Void
  ) -> Subscription { uncallable() }

  @available(*, unavailable, renamed: "subscribe(next:fail:)")
  public func subscribe(
    onSuccess: @escaping @Sendable (Element) -> Void, onError: @escaping @Sendable (any Error) -> Void
  ) -> Subscription { uncallable() }

  @available(*, unavailable, renamed: "subscribe(next:fail:complete:)")
  public func subscribe(
    onSuccess: @escaping @Sendable (Element) -> Void, onError: @escaping @Sendable (any Error) -> Void,
    onCompleted: @escaping @Sendable () -> Void
  ) -> Subscription { uncallable() }

  @available(
    *, unavailable, message: "an emitter: create { emitter in emitter.next(element); emitter.complete() }"
  )
  public static func create(
    _ start: @escaping @Sendable (_ single: @escaping @Sendable (SingleEvent<Element>) -> Void) -> Void
  ) -> Observable { uncallable() }
}

@available(*, unavailable, message: "an emitter's next(element) and complete(), or fail(error)")
public enum SingleEvent<Element: Sendable>: Sendable {
  case success(Element)
  case failure(any Error)
  case error(any Error)
  case completed
}

// `Driver` and `Signal`, which are observables here.
extension Observable {
  @available(*, unavailable, renamed: "subscribe(onMain:)")
  public func drive(onNext: @escaping @MainActor @Sendable (Element) -> Void) -> Subscription { uncallable() }

  @available(*, unavailable, message: "subscribe(onMain: { view.text = $0 }), or subscribe(subject)")
  public func drive<Receiver: Sendable>(_ receiver: Receiver) -> Subscription { uncallable() }

  @available(*, unavailable, renamed: "subscribe(onMain:)")
  public func emit(onNext: @escaping @MainActor @Sendable (Element) -> Void) -> Subscription { uncallable() }

  @available(*, unavailable, message: "subscribe(onMain: { view.text = $0 }), or subscribe(subject)")
  public func emit<Receiver: Sendable>(to receiver: Receiver) -> Subscription { uncallable() }
}

extension Observable {
  @available(*, unavailable, renamed: "do(next:)")
  public func `do`(onNext: @escaping @Sendable (Element) throws -> Void) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "do(next:fail:)")
  public func `do`(
    onNext: @escaping @Sendable (Element) throws -> Void, onError: @escaping @Sendable (any Error) -> Void
  ) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "do(next:complete:)")
  public func `do`(
    onNext: @escaping @Sendable (Element) throws -> Void, onCompleted: @escaping @Sendable () -> Void
  ) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "do(next:fail:complete:)")
  public func `do`(
    onNext: @escaping @Sendable (Element) throws -> Void, onError: @escaping @Sendable (any Error) -> Void,
    onCompleted: @escaping @Sendable () -> Void
  ) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "do(fail:)")
  public func `do`(onError: @escaping @Sendable (any Error) -> Void) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "do(complete:)")
  public func `do`(onCompleted: @escaping @Sendable () -> Void) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "do(subscribe:)")
  public func `do`(onSubscribe: @escaping @Sendable () -> Void) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "do(subscribe:dispose:)")
  public func `do`(
    onSubscribe: @escaping @Sendable () -> Void, onDispose: @escaping @Sendable () -> Void
  ) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "do(dispose:)")
  public func `do`(onDispose: @escaping @Sendable () -> Void) -> Observable { uncallable() }

  @available(*, unavailable, message: "do(next:fail:complete:subscribe:dispose:)")
  public func `do`(
    onNext: (@Sendable (Element) throws -> Void)? = nil,
    afterNext: (@Sendable (Element) throws -> Void)? = nil,
    onError: (@Sendable (any Error) throws -> Void)? = nil,
    afterError: (@Sendable (any Error) throws -> Void)? = nil,
    onCompleted: (@Sendable () throws -> Void)? = nil, afterCompleted: (@Sendable () throws -> Void)? = nil,
    onSubscribe: (@Sendable () -> Void)? = nil, onSubscribed: (@Sendable () -> Void)? = nil,
    onDispose: (@Sendable () -> Void)? = nil
  ) -> Observable { uncallable() }
}
