// More names of RxSwift that are others here, or that nothing here has: the compiler says what to write instead.

extension Observable {
  @available(*, unavailable, message: "from takes any sequence: from(0..<3)")
  public static func range(start: Element, count: Int) -> Observable { uncallable() }

  @available(*, unavailable, message: "just(element).repeat(.max)")
  public static func repeatElement(_ element: Element) -> Observable { uncallable() }

  @available(*, unavailable, message: "optional.map { .just($0) } ?? .empty()")
  public static func from(optional: Element?) -> Observable { uncallable() }

  @available(
    *, unavailable, message: "a source starts where it is subscribed to: just(1).subscribe(on: lane)"
  )
  public static func just(_ element: Element, scheduler: any Scheduler) -> Observable { uncallable() }

  @available(
    *, unavailable, message: "a source starts where it is subscribed to: from([1, 2]).subscribe(on: lane)"
  )
  public static func of(_ elements: Element..., scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, message: "amb takes a list: Observable.amb([one, other])")
  public func amb(_ other: Observable) -> Observable { uncallable() }

  @available(*, unavailable, message: "first.catch { _ in second }")
  public static func `catch`(sequence: [Observable]) -> Observable { uncallable() }

  @available(*, unavailable, message: "Observable.concat([first, second])")
  public func concat(_ others: [Observable]) -> Observable { uncallable() }

  @available(
    *, unavailable, message: "transform(from: 0) { index, value, emit in emit((index, value)); index += 1 }"
  )
  public func enumerated() -> Observable<(index: Int, element: Element)> { uncallable() }

  @available(*, unavailable, renamed: "reduce(_:_:)")
  public func reduce<Result: Sendable>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
  ) -> Observable<Result> { uncallable() }

  @available(*, unavailable, renamed: "scan(_:_:)")
  public func scan<Result: Sendable>(
    _ seed: Result, accumulator: @escaping @Sendable (Result, Element) throws -> Result
  ) -> Observable<Result> { uncallable() }

  @available(*, unavailable, message: "dematerialize { $0 }")
  public func dematerialize<Value: Sendable>() -> Observable<Value> where Element == StreamEvent<Value> {
    uncallable()
  }

  @available(*, unavailable, message: "flatMap { $0 }")
  public func merge<Value: Sendable>() -> Observable<Value> where Element: Observable<Value> { uncallable() }

  @available(*, unavailable, message: "flatMap(limit: 2) { $0 }")
  public func merge<Value: Sendable>(maxConcurrent: Int) -> Observable<Value>
  where Element: Observable<Value> {
    uncallable()
  }

  @available(*, unavailable, message: "concatMap { $0 }")
  public func concat<Value: Sendable>() -> Observable<Value> where Element: Observable<Value> { uncallable() }

  @available(*, unavailable, message: "the number comes first: buffer(3, or: .seconds(1), on: lane)")
  public func buffer(timeSpan: Duration, count: Int, scheduler: any Scheduler) -> Observable<[Element]> {
    uncallable()
  }

  @available(*, unavailable, message: "the number comes first: window(3, or: .seconds(1), on: lane)")
  public func window(timeSpan: Duration, count: Int, scheduler: any Scheduler) -> Observable<Observable> {
    uncallable()
  }

  @available(
    *, unavailable, message: "the other stream comes last: timeout(after: limit, on: lane, else: other)"
  )
  public func timeout(_ limit: Duration, other: Observable, scheduler: any Scheduler) -> Observable {
    uncallable()
  }

  @available(*, unavailable, renamed: "delaySubscription(for:on:)")
  public func delaySubscription(_ delay: Duration, scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "take(for:on:)")
  public func take(for duration: Duration, scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "skip(for:on:)")
  public func skip(_ duration: Duration, scheduler: any Scheduler) -> Observable { uncallable() }

  @available(*, unavailable, message: "with the element first: startWith(element), then sample(trigger)")
  public func sample<Other: Sendable>(_ trigger: Observable<Other>, defaultValue: Element) -> Observable {
    uncallable()
  }

  @available(*, unavailable, renamed: "withLatest(_:_:)")
  public func withLatestFrom<Other: Sendable, Output: Sendable>(
    _ other: Observable<Other>, resultSelector: @escaping @Sendable (Element, Other) throws -> Output
  ) -> Observable<Output> { uncallable() }

  @available(*, unavailable, message: "combineLatest(list).map { … }")
  public static func combineLatest<Source: Sendable>(
    _ sources: [Observable<Source>], resultSelector: @escaping @Sendable ([Source]) throws -> Element
  ) -> Observable { uncallable() }

  @available(*, unavailable, message: "zip(list).map { … }")
  public static func zip<Source: Sendable>(
    _ sources: [Observable<Source>], resultSelector: @escaping @Sendable ([Source]) throws -> Element
  ) -> Observable { uncallable() }

  @available(*, unavailable, message: "replay(.max)")
  public func replayAll() -> ConnectableObservable<Element> { uncallable() }

  @available(*, unavailable, message: "one subject, not a closure: multicast(PublishSubject())")
  public func multicast(_ make: @escaping @Sendable () throws -> Subject<Element>) -> ConnectableObservable<
    Element
  > {
    uncallable()
  }

  @available(*, unavailable, message: "using({ open() }, dispose: { $0.close() }) { … }")
  public static func using<Resource: Sendable>(
    _ make: @escaping @Sendable () throws -> Resource,
    observableFactory: @escaping @Sendable (Resource) throws -> Observable
  ) -> Observable { uncallable() }

  @available(
    *, unavailable, message: "capture it in the closure: subscribe(next: { [weak object] value in … })"
  )
  public func subscribe<Object: AnyObject & Sendable>(
    with object: Object, onNext: (@Sendable (Object, Element) -> Void)? = nil,
    onError: (@Sendable (Object, any Error) -> Void)? = nil, onCompleted: (@Sendable (Object) -> Void)? = nil,
    onDisposed: (@Sendable (Object) -> Void)? = nil
  ) -> Subscription { uncallable() }

  @available(*, unavailable, message: "with a name: debug(\"search\", to: { print($0) })")
  public func debug() -> Observable { uncallable() }

  @available(*, unavailable, message: "await its value: try await stream.value, or toArray().value")
  public func toBlocking() -> Observable { uncallable() }

  @available(*, unavailable, message: "catch(emitting: element).share(replay: 1), and subscribe(onMain:)")
  public func asDriver(onErrorJustReturn element: Element) -> Observable { uncallable() }

  @available(*, unavailable, message: "catch(emitting: element).share(), and subscribe(onMain:)")
  public func asSignal(onErrorJustReturn element: Element) -> Observable { uncallable() }

  @available(*, unavailable, message: "catch { _ in other }.share(replay: 1), and subscribe(onMain:)")
  public func asDriver(onErrorDriveWith other: Observable) -> Observable { uncallable() }

  @available(
    *, unavailable, message: "share(replay: 1), which a BehaviorRelay need not, and subscribe(onMain:)"
  )
  public func asDriver() -> Observable { uncallable() }

  @available(*, unavailable, message: "share(), which a PublishRelay need not, and subscribe(onMain:)")
  public func asSignal() -> Observable { uncallable() }

  @available(*, unavailable, renamed: "catch(emitting:)")
  public func asInfallible(onErrorJustReturn element: Element) -> Observable { uncallable() }

  @available(*, unavailable, message: "an Observable of one element or none is one already: take(1)")
  public func asMaybe() -> Observable { uncallable() }

  @available(*, unavailable, renamed: "ignoreElements()")
  public func asCompletable() -> Observable { uncallable() }

  @available(*, unavailable, message: "concat(second), after a stream of its type: ignoreElements(), or map")
  public func andThen<Other: Sendable>(_ second: Observable<Other>) -> Observable<Other> { uncallable() }
}

extension Observable {
  @available(*, unavailable, renamed: "take(until:)")
  public func takeUntil<Other: Sendable>(_ other: Observable<Other>) -> Observable { uncallable() }

  @available(*, unavailable, message: "take(while: { … })")
  public func takeWhile(_ condition: @escaping @Sendable (Element) throws -> Bool) -> Observable {
    uncallable()
  }

  @available(*, unavailable, message: "take(until: { … }, inclusive: true)")
  public func take(
    until condition: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior
  ) -> Observable { uncallable() }

  @available(*, unavailable, message: "take(while: { … }, inclusive: true)")
  public func take(
    while condition: @escaping @Sendable (Element) throws -> Bool, behavior: TakeBehavior
  ) -> Observable { uncallable() }

  @available(*, unavailable, renamed: "skip(until:)")
  public func skipUntil<Other: Sendable>(_ other: Observable<Other>) -> Observable { uncallable() }

  @available(*, unavailable, message: "skip(while: { … })")
  public func skipWhile(_ condition: @escaping @Sendable (Element) throws -> Bool) -> Observable {
    uncallable()
  }
}

extension ReplaySubject {
  @available(*, unavailable, message: "ReplaySubject(limit: 2)")
  public static func create(bufferSize: Int) -> ReplaySubject { uncallable() }
}

extension MainScheduler {
  @available(*, unavailable, message: "as an argument, .main")
  public static var instance: MainScheduler { uncallable() }

  @available(*, unavailable, message: "as an argument, .main")
  public static var asyncInstance: MainScheduler { uncallable() }
}

extension VirtualScheduler {
  @available(*, unavailable, message: "VirtualScheduler(): its time begins at zero")
  public convenience init(initialClock: Int, resolution: Double = 1, simulateProcessingDelay: Bool = true) {
    uncallable()
  }
}

extension Subject {
  @available(*, unavailable, message: "the subject itself, which is an Observer")
  public func asObserver() -> Subject { uncallable() }
}

@available(*, unavailable, message: "inclusive: true, or nothing")
public enum TakeBehavior { case inclusive, exclusive }

@available(*, unavailable, renamed: "Duration")
public typealias RxTimeInterval = Duration

@available(*, unavailable, message: "as an argument, .main")
public enum ConcurrentMainScheduler {
  @available(*, unavailable, message: "as an argument, .main")
  public static var instance: MainScheduler { uncallable() }
}

@available(
  *, unavailable, message: "an Observable: single() makes sure of its one element, and value awaits it"
)
public typealias Single<Element: Sendable> = Observable<Element>

@available(*, unavailable, message: "an Observable of one element or none")
public typealias Maybe<Element: Sendable> = Observable<Element>

@available(*, unavailable, message: "an Observable whose elements are ignored: ignoreElements()")
public typealias Completable = Observable<Never>

@available(*, unavailable, message: "an Observable that does not fail: catch(emitting:)")
public typealias Infallible<Element: Sendable> = Observable<Element>

@available(*, unavailable, message: "a BehaviorRelay or share(replay: 1), and subscribe(onMain:)")
public typealias Driver<Element: Sendable> = Observable<Element>

@available(*, unavailable, message: "a PublishRelay or share(), and subscribe(onMain:)")
public typealias Signal<Element: Sendable> = Observable<Element>

@available(*, unavailable, message: "ReplaySubject(limit: 1), and takeLast(1)")
public enum AsyncSubject<Element: Sendable> {}

@available(*, unavailable, renamed: "StreamEvent")
public typealias Event<Element: Sendable> = StreamEvent<Element>

@available(*, unavailable, message: "a class, Observable: it is extended itself, and a parameter is of it")
public protocol ObservableType<Element> { associatedtype Element: Sendable }

@available(*, unavailable, message: "a class, Observable: it is extended itself, and a parameter is of it")
public protocol ObservableConvertibleType<Element> { associatedtype Element: Sendable }

@available(*, unavailable, renamed: "Observer")
public protocol ObserverType<Element> { associatedtype Element: Sendable }

@available(
  *, unavailable, message: "a closure: subscribe(onMain: { [weak view] value in view?.text = value })"
)
public enum Binder<Value: Sendable> {
  @available(
    *, unavailable, message: "a closure: subscribe(onMain: { [weak view] value in view?.text = value })"
  )
  public init<Target: AnyObject>(_ target: Target, _ bind: @escaping (Target, Value) -> Void) { uncallable() }
}

@available(*, unavailable, message: "any Observer<Element>")
public enum AnyObserver<Element: Sendable> {
  @available(*, unavailable, message: "a class of one's own that is an Observer, or a subject")
  public init(_ on: @escaping (StreamEvent<Element>) -> Void) { uncallable() }
}

@available(*, unavailable, renamed: "Bag")
public typealias CompositeDisposable = Bag

@available(*, unavailable, message: "a Subscription has a child() for each")
public typealias SerialDisposable = Subscription

@available(*, unavailable, renamed: "Subscription")
public typealias SingleAssignmentDisposable = Subscription

@available(*, unavailable, message: "SerialScheduler(name:): it has a thread of its own")
public enum SerialDispatchQueueScheduler {
  @available(*, unavailable, message: "SerialScheduler(name:): it has a thread of its own")
  public init(qos: QueueQuality, internalSerialQueueName name: String = "") { uncallable() }

  @available(*, unavailable, message: "SerialScheduler(name:): it has a thread of its own")
  public init<Queue>(queue: Queue, internalSerialQueueName name: String) { uncallable() }
}

@available(*, unavailable, message: "ThreadPool(threads:), and a scheduler of it: makeScheduler()")
public enum ConcurrentDispatchQueueScheduler {
  @available(*, unavailable, message: "ThreadPool(threads:), and a scheduler of it: makeScheduler()")
  public init(qos: QueueQuality) { uncallable() }

  @available(*, unavailable, message: "ThreadPool(threads:), and a scheduler of it: makeScheduler()")
  public init<Queue>(queue: Queue) { uncallable() }
}

@available(*, unavailable, message: "a thread here has no quality of service")
public enum QueueQuality { case background, utility, `default`, userInitiated, userInteractive, unspecified }

@available(*, unavailable, message: "not needed: what is sent inside a delivery waits until that is over")
public typealias CurrentThreadScheduler = ImmediateScheduler

@available(*, unavailable, renamed: "VirtualScheduler")
public typealias HistoricalScheduler = VirtualScheduler
