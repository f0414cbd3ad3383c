import Foundation
import Testing

/// What the compiler says of lines that a user of RxSwift writes: it names what to write instead.
@Suite struct ComingFromRxSwiftTests {
  /// A line, and a part of what the compiler says of it; nothing for one that compiles.
  static let lines = #"""
    _ = one.subscribe(onNext: { print($0) }) => 'subscribe(next:fail:complete:)'
    _ = one.do(onNext: { print($0) }) => 'do(next:fail:complete:subscribe:dispose:)'
    _ = Observable<Int>.error(CancellationError()) => 'fail(_:)'
    _ = Observable.of(1, 2, 3) => from([1, 2, 3])
    _ = Observable<Int>.interval(.seconds(1), scheduler: clock) => 'interval(_:on:)'
    _ = Observable<Int>.timer(.seconds(1), scheduler: clock) => 'timer(after:every:on:)'
    _ = one.debounce(.milliseconds(300), scheduler: clock) => 'debounce(for:on:)'
    _ = one.throttle(.milliseconds(300), scheduler: clock) => 'throttle(for:latest:on:)'
    _ = one.delay(.seconds(1), scheduler: clock) => 'delay(for:on:)'
    _ = one.timeout(.seconds(1), scheduler: clock) => 'timeout(after:on:)'
    _ = Observable.generate(initialState: 1, condition: { $0 < 9 }, iterate: { $0 * 2 }) => from(sequence(
    _ = one.withUnretained(subject).map { $1 } => [weak self]
    _ = one.observeOn(clock) => 'observe(on:)'
    _ = one.subscribeOn(clock) => 'subscribe(on:)'
    _ = one.catchAndReturn(0) => 'catch(emitting:)'
    _ = one.catchError { _ in one } => 'catch(_:)'
    _ = one.retry(3) => 'retry(times:)'
    _ = one.retry() => retry(times: .max)
    _ = one.retry(3, on: clock) => retry(Backoff(…), on:)
    one.subscribe(next: { print($0) }).disposed(by: Subscription()) => keep it in a Bag
    _ = Observable<Int>.create { _ in return Disposables.create() } => emitter.onDispose
    _ = one.groupBy(keySelector: { $0 % 2 }) => 'group(by:)'
    _ = one.startWith([1, 2]) => startWith(1, 2)
    _ = one.asSingle() => 'single()'
    _ = subject.asObservable() => 'observable'
    _ = subject.map { $0 + 1 }
    _ = relay.subscribe(onNext: { print($0) }) => 'subscribe(next:fail:complete:)'
    _ = Observable.combineLatest(subject, relay, text) { "\($0)\($1)\($2)" }
    _ = one.take(until: subject).withLatestFrom(relay)
    relay.accept(1) => 'next(_:)'
    _ = one.asObservable() => 'observable'
    _ = one.bind(onNext: { print($0) }) => 'subscribe(next:)'
    _ = one.bind(to: subject) => 'subscribe(_:)'
    subject.onNext(1) => 'next(_:)'
    subject.onError(CancellationError()) => 'fail(_:)'
    subject.onCompleted() => 'complete()'
    _ = Observable<Int>.create { $0.onNext(1) } => 'next(_:)'
    _ = Observable<Int>.create { $0.onCompleted() } => 'complete()'
    let bag = DisposeBag() => 'Bag'
    let held: Disposable? = nil => 'Subscription'
    _ = Disposables.self => emitter.onDispose
    let test: TestScheduler? = nil => 'VirtualScheduler'
    _ = Observable<Int>.range(start: 1, count: 3) => from(0..<3)
    _ = Observable<Int>.repeatElement(1) => just(element).repeat(.max)
    _ = Observable.from(optional: Optional(1)) => ?? .empty()
    _ = Observable.just(1, scheduler: clock) => subscribe(on: lane)
    _ = Observable.of(1, 2, scheduler: clock) => subscribe(on: lane)
    _ = one.amb(one) => Observable.amb([
    _ = Observable.catch(sequence: [one, one]) => first.catch
    _ = one.concat([one]) => Observable.concat([
    _ = one.enumerated() => transform(from: 0)
    _ = one.reduce(0, accumulator: { $0 + $1 }) => 'reduce(_:_:)'
    _ = one.scan(0, accumulator: { $0 + $1 }) => 'scan(_:_:)'
    _ = one.materialize().dematerialize() => dematerialize { $0 }
    _ = Observable.just(one).merge() => flatMap { $0 }
    _ = Observable.just(one).merge(maxConcurrent: 2) => flatMap(limit: 2)
    _ = Observable.just(one).concat() => concatMap { $0 }
    _ = one.buffer(timeSpan: .seconds(1), count: 2, scheduler: clock) => 'buffer(_:or:on:)'
    _ = one.window(timeSpan: .seconds(1), count: 2, scheduler: clock) => 'window(_:or:on:)'
    _ = one.distinctUntilChanged({ $0 == $1 }) => 'by:'
    _ = one.sample(text, defaultValue: 1) => startWith(element)
    _ = one.timeout(.seconds(1), other: one, scheduler: clock) => 'timeout(after:on:else:)'
    _ = one.delaySubscription(.seconds(1), scheduler: clock) => 'delaySubscription(for:on:)'
    _ = one.take(for: .seconds(1), scheduler: clock) => 'take(for:on:)'
    _ = one.skip(.seconds(1), scheduler: clock) => 'skip(for:on:)'
    _ = one.withLatestFrom(text) { ($0, $1) } => 'withLatest(_:_:)'
    _ = Observable.combineLatest([one, one]) { $0.count } => combineLatest(list).map
    _ = Observable.zip([one, one]) { $0.count } => zip(list).map
    _ = one.replayAll() => replay(.max)
    _ = one.multicast { subject } => multicast(PublishSubject())
    _ = Observable.using({ 1 }, observableFactory: { _ in one }) => dispose: { $0.close() }
    _ = one.subscribe(with: subject, onNext: { _, _ in }) => [weak object]
    _ = one.do(onNext: { _ in }, afterNext: { _ in }, onSubscribed: {}) => 'do(next:fail:complete:subscribe:dispose:)'
    _ = one.debug() => debug("search"
    _ = one.toBlocking() => stream.value
    _ = one.asDriver(onErrorJustReturn: 1) => share(replay: 1)
    _ = one.asSignal(onErrorJustReturn: 1) => subscribe(onMain:)
    _ = one.asCompletable() => 'ignoreElements()'
    _ = ReplaySubject<Int>.create(bufferSize: 2) => ReplaySubject(limit: 2)
    _ = AsyncSubject<Int>.self => takeLast(1)
    _ = BehaviorSubject(value: 1) => 'value:'
    _ = one.observe(on: MainScheduler.instance) => as an argument, .main
    let single: Single<Int>? = nil => single()
    let maybe: Maybe<Int>? = nil => one element or none
    let end: Completable? = nil => ignoreElements()
    let safe: Infallible<Int>? = nil => catch(emitting:)
    let driver: Driver<Int>? = nil => BehaviorRelay
    let signal: Signal<Int>? = nil => PublishRelay
    let observer: AnyObserver<Int>? = nil => any Observer
    let several: CompositeDisposable? = nil => 'Bag'
    let serial: SerialDisposable? = nil => child()
    let once: SingleAssignmentDisposable? = nil => 'Subscription'
    let lane: SerialDispatchQueueScheduler? = nil => SerialScheduler(name:)
    let lanes: ConcurrentDispatchQueueScheduler? = nil => ThreadPool(threads:)
    let current: CurrentThreadScheduler? = nil => not needed
    let past: HistoricalScheduler? = nil => 'VirtualScheduler'
    one.subscribe(next: { print($0) }) => unused
    _ = one.map(\.description)
    _ = Observable.combineLatest(one, text) { "\($0)\($1)" }
    _ = Observable.zip(one, text) { "\($0)\($1)" }
    _ = Observable.combineLatest(one, text, one, text, one, text, one, text) { "\($0)\($1)\($7)" }
    _ = Observable.combineLatest(one, text).map { "\($0)\($1)" }
    _ = Observable.zip(one, text, one).map { "\($0)\($1)\($2)" }
    _ = one.withLatestFrom(text)
    _ = one.share(replay: 1, scope: .forever)
    _ = one.take(until: { $0 > 1 })
    _ = one.take(until: text)
    _ = one.retry(when: { $0.delay(for: .seconds(1), on: clock) })
    _ = one.ifEmpty(default: 0).element(at: 1)
    _ = one.single()
    _ = one.map { $0 + 1 }.filter { $0 > 1 }.flatMap { _ in text }
    _ = Observable.merge(one, one)
    _ = Observable.concat(one, one)
    one.subscribe(next: { print($0) }).disposed(by: Bag())
    """#.split(separator: "\n").map { line in line.split(separator: " => ", maxSplits: 1).map(String.init) }

  private static let compiler = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":")
    .map { "\($0)/swiftc" }.first { FileManager.default.isExecutableFile(atPath: $0) }

  /// Where the modules of this build lie, beside the tests.
  private static let modules = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    .appending(path: "Modules").path

  @Test(
    .enabled(
      if: compiler != nil && FileManager.default.fileExists(atPath: modules),
      "needs swiftc, and the modules of this build beside the tests"))
  func theCompilerNamesTheRemedy() throws {
    let head = """
      import Reactive
      let (one, text, subject, relay, clock) = (
        Observable.just(1), Observable.just("a"), PublishSubject<Int>(), PublishRelay<Int>(), ImmediateScheduler())

      """
    let first = head.split(separator: "\n", omittingEmptySubsequences: false).count
    let program = head + Self.lines.enumerated().map { "func line\($0)() { \($1[0]) }\n" }.joined()
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).swift")
    try program.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.compiler))
    process.arguments = ["-typecheck", "-swift-version", "6", "-I", Self.modules, file.path]
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    for (index, line) in Self.lines.enumerated() {
      let place = "\(file.path):\(first + index):"
      let messages = said.split(separator: "\n").filter { $0.hasPrefix(place) }
        .filter { $0.contains("error:") || $0.contains("unused") }.joined(separator: "\n")
      if line.count == 1 {
        #expect(messages.isEmpty, "\(line[0]): \(messages)")
      } else {
        #expect(
          messages.contains(line[1]), "\(line[0]): \(messages.isEmpty ? said.prefix(300) + "" : messages)")
      }
    }
  }
}
