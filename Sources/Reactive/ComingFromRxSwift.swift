// Names of RxSwift that are others here: the compiler offers the right one. None of them can be called.

extension Observable {
  @available(*, unavailable, renamed: "fail(_:)")
  public static func error(_ error: any Error) -> Observable { uncallable() }

  @available(
    *, unavailable, message: "a list is one argument: from([1, 2, 3]); of streams, Observable.merge(a, b)"
  )
  public static func of(_ elements: Element...) -> Observable { uncallable() }

  @available(
    *, unavailable, message: "from takes any sequence: from(sequence(first: 1) { $0 < 8 ? $0 * 2 : nil })"
  )
  public static func generate(
    initialState: Element, condition: @escaping @Sendable (Element) throws -> Bool,
    iterate: @escaping @Sendable (Element) throws -> Element
  ) -> Observable { uncallable() }

  @available(*, unavailable, message: "capture it in the closure: { [weak self] value in … }")
  public func withUnretained<Object: AnyObject & Sendable>(_ object: Object) -> Observable<(Object, Element)>
  {
    uncallable()
  }

  @available(*, unavailable, renamed: "debounce(for:on:)")
  public func debounce(_ quiet: Duration, scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "throttle(for:on:)")
  public func throttle(_ period: Duration, scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "throttle(for:latest:on:)")
  public func throttle(_ period: Duration, latest: Bool, scheduler: any Scheduler) -> Observable {
    uncallable()
  }

  @available(*, unavailable, renamed: "delay(for:on:)")
  public func delay(_ duration: Duration, scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "timeout(after:on:)")
  public func timeout(_ limit: Duration, scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "observe(on:)")
  public func observeOn(_ scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "subscribe(on:)")
  public func subscribeOn(_ scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "catch(emitting:)")
  public func catchAndReturn(_ element: Element) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "catch(_:)")
  public func catchError(_ handler: @escaping @Sendable (any Error) throws -> Observable) -> Observable {
    uncallable()
  }

  @available(
    *, unavailable, renamed: "retry(times:)", message: "the number is of repeats, one less than RxSwift's"
  )
  public func retry(_ attempts: Int) -> Observable { uncallable() }

  @available(
    *, unavailable, message: "without an end it is retry(times: .max); with pauses, retry(Backoff(…), on:)"
  )
  public func retry() -> Observable { uncallable() }

  @available(
    *, unavailable, message: "a number of times is retry(times:); with pauses, retry(Backoff(…), on:)"
  )
  public func retry(_ attempts: Int, on scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "group(by:)")
  public func groupBy<Key: Hashable & Sendable>(
    keySelector: @escaping @Sendable (Element) throws -> Key
  ) -> Observable<Group<Key, Element>> { uncallable() }

  @available(*, unavailable, renamed: "startWith(_:)", message: "without brackets: startWith(1, 2)")
  public func startWith(_ elements: [Element]) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "single()")
  public func asSingle() -> Observable { uncallable() }

  @available(*, unavailable, renamed: "getter:observable()")
  public func asObservable() -> Observable { uncallable() }

  @available(*, unavailable, renamed: "subscribe(next:)")
  public func bind(onNext: @escaping @Sendable (Element) -> Void) -> Subscription { uncallable() }

  @available(*, unavailable, renamed: "subscribe(_:)")
  public func bind(to observer: any Observer<Element>) -> Subscription { uncallable() }
}

extension Observable where Element == Int {
  @available(*, unavailable, renamed: "interval(_:on:)")
  public static func interval(_ period: Duration, scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "timer(after:on:)")
  public static func timer(_ due: Duration, scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "timer(after:every:on:)")
  public static func timer(_ due: Duration, period: Duration, scheduler: any Scheduler) -> Observable {
    uncallable()
  }
}

extension Observer {
  @available(*, unavailable, message: "next(element), fail(error) or complete()")
  public func on(_ event: StreamEvent<Element>) { uncallable() }

  @available(*, unavailable, renamed: "next(_:)")
  public func onNext(_ element: Element) { uncallable() }

  @available(*, unavailable, renamed: "fail(_:)")
  public func onError(_ error: any Error) { uncallable() }

  @available(*, unavailable, renamed: "complete()")
  public func onCompleted() { uncallable() }
}

extension Relay {
  @available(*, unavailable, renamed: "next(_:)")
  public func accept(_ element: Element) { uncallable() }
}

extension Emitter {
  @available(*, unavailable, renamed: "next(_:)")
  public func onNext(_ element: Element) { uncallable() }

  @available(*, unavailable, renamed: "fail(_:)")
  public func onError(_ error: any Error) { uncallable() }

  @available(*, unavailable, renamed: "complete()")
  public func onCompleted() { uncallable() }
}

@available(*, unavailable, renamed: "Bag")
public typealias DisposeBag = Bag

@available(*, unavailable, renamed: "Subscription")
public typealias Disposable = Subscription

@available(*, unavailable, message: "create needs none: emitter.onDispose { … } is called at the end")
public enum Disposables {
  @available(*, unavailable, message: "create needs none: emitter.onDispose { … } is called at the end")
  public static func create(with dispose: @escaping @Sendable () -> Void = {}) { uncallable() }
}

extension Subscription {
  @available(
    *, unavailable, message: "keep it in a Bag: a Subscription that has several streams ends with one"
  )
  public func disposed(by subscription: Subscription) { uncallable() }
}

@available(*, unavailable, renamed: "VirtualScheduler")
public typealias TestScheduler = VirtualScheduler

func uncallable() -> Never { preconditionFailure("the compiler refuses a call of this") }
