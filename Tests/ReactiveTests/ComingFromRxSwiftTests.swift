import Foundation
import Testing

/// What the compiler says of lines that a user of RxSwift writes: it names what to write instead.
@Suite struct ComingFromRxSwiftTests {
  /// A line, and a part of what the compiler says of it; nothing for one that compiles.
  static let lines = #"""
    _ = one.subscribe(onNext: { print($0) }) => 'subscribe(next:)'
    _ = one.subscribe(onNext: { print($0) }, onError: { print($0) }) => 'subscribe(next:fail:)'
    _ = one.subscribe(onNext: { print($0) }, onCompleted: {}) => 'subscribe(next:complete:)'
    _ = one.subscribe(onNext: { _ in }, onError: { _ in }, onCompleted: {}) => 'subscribe(next:fail:complete:)'
    _ = one.subscribe(onError: { print($0) }) => 'subscribe(fail:)'
    _ = one.subscribe(onCompleted: {}) => 'subscribe(complete:)'
    _ = one.subscribe(onError: { print($0) }, onCompleted: {}) => 'subscribe(fail:complete:)'
    _ = one.subscribe(onNext: { print($0) }, onDisposed: {}) => subscription.onDispose
    _ = one.subscribe(onNext: { _ in }, onError: { _ in }, onCompleted: {}, onDisposed: {}) => subscription.onDispose
    _ = one.subscribe(onNext: nil, onDisposed: nil) => subscription.onDispose
    one.toArray().subscribe(onSuccess: { print($0) }).disposed(by: Bag()) => 'subscribe(next:)'
    _ = one.subscribe(onSuccess: { print($0) }, onFailure: { print($0) }) => 'subscribe(next:fail:)'
    _ = one.subscribe(onSuccess: { print($0) }, onError: { print($0) }) => 'subscribe(next:fail:)'
    _ = one.subscribe(onSuccess: { _ in }, onError: { _ in }, onCompleted: {}) => 'subscribe(next:fail:complete:)'
    _ = one.drive(onNext: { print($0) }) => 'subscribe(onMain:)'
    _ = one.emit(onNext: { print($0) }) => 'subscribe(onMain:)'
    _ = one.drive(relay) => subscribe(onMain: {
    _ = one.emit(to: relay) => subscribe(onMain: {
    _ = Single<Int>.create { single in single(.success(1)); return Disposables.create() } => an emitter: create {
    _ = Observable<Int>.create { single in single(.success(1)); return Disposables.create() } => an emitter: create {
    _ = Observable<Int>.create { observer in observer.on(.next(1)) } => next(element), fail(error)
    subject.on(.next(1)) => next(element), fail(error)
    let event: Event<Int>? = nil => 'StreamEvent'
    let binder = Binder<Int>(subject) { subject, value in subject.next(value) } => subscribe(onMain: { [weak view]
    func taker<Stream: ObservableType>(_ stream: Stream) where Stream.Element == Int {} => a class, Observable
    func other<Stream: ObservableConvertibleType>(_ stream: Stream) {} => a class, Observable
    func fed<Receiver: ObserverType>(_ receiver: Receiver) {} => 'Observer'
    _ = Observable.of(one, text.map(\.count)).merge() => Observable.merge(a, b)
    _ = Observable.of(subject, relay).concat() => Observable.merge(a, b)
    _ = one.takeUntil(text) => 'take(until:)'
    _ = one.takeWhile { $0 < 3 } => take(while: {
    _ = one.skipUntil(text) => 'skip(until:)'
    _ = one.skipWhile { $0 < 3 } => skip(while: {
    _ = SerialDispatchQueueScheduler(qos: .background) => SerialScheduler(name:)
    _ = SerialDispatchQueueScheduler(queue: clock, internalSerialQueueName: "rows") => SerialScheduler(name:)
    _ = ConcurrentDispatchQueueScheduler(qos: .userInitiated) => ThreadPool(threads:)
    _ = ConcurrentDispatchQueueScheduler(queue: clock) => ThreadPool(threads:)
    _ = one.do(onNext: { print($0) }) => 'do(next:)'
    _ = one.do(onNext: { _ in }, onError: { _ in }) => 'do(next:fail:)'
    _ = one.do(onNext: { _ in }, onCompleted: {}) => 'do(next:complete:)'
    _ = one.do(onNext: { _ in }, onError: { _ in }, onCompleted: {}) => 'do(next:fail:complete:)'
    _ = one.do(onError: { _ in }) => 'do(fail:)'
    _ = one.do(onCompleted: {}) => 'do(complete:)'
    _ = one.do(onSubscribe: {}) => 'do(subscribe:)'
    _ = one.do(onSubscribe: {}, onDispose: {}) => 'do(subscribe:dispose:)'
    _ = one.do(onDispose: {}) => 'do(dispose:)'
    _ = Observable<Int>.error(CancellationError()) => 'fail(_:)'
    _ = Observable.of(1, 2, 3) => from([1, 2, 3])
    _ = Observable<Int>.interval(.seconds(1), scheduler: clock) => 'interval(_:on:)'
    _ = Observable<Int>.timer(.seconds(1), scheduler: clock) => 'timer(after:on:)'
    _ = Observable<Int>.timer(.seconds(1), period: .seconds(2), scheduler: clock) => 'timer(after:every:on:)'
    _ = one.debounce(.milliseconds(300), scheduler: clock) => 'debounce(for:on:)'
    _ = one.throttle(.milliseconds(300), scheduler: clock) => 'throttle(for:on:)'
    _ = one.throttle(.seconds(1), latest: false, scheduler: clock) => 'throttle(for:latest:on:)'
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
    _ = relay.subscribe(onNext: { print($0) }) => 'subscribe(next:)'
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
    _ = one.buffer(timeSpan: .seconds(1), count: 2, scheduler: clock) => buffer(3, or: .seconds(1), on: lane)
    _ = one.window(timeSpan: .seconds(1), count: 2, scheduler: clock) => window(3, or: .seconds(1), on: lane)
    _ = one.distinctUntilChanged({ $0 == $1 }) => 'by:'
    _ = one.sample(text, defaultValue: 1) => startWith(element)
    _ = one.timeout(.seconds(1), other: one, scheduler: clock) => timeout(after: limit, on: lane, else: other)
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
    _ = one.do(onNext: { _ in }, afterNext: { _ in }, onSubscribed: {}) => do(next:fail:complete:subscribe:dispose:)
    _ = one.debug() => debug("search"
    _ = one.toBlocking() => stream.value
    _ = one.asDriver(onErrorJustReturn: 1) => share(replay: 1)
    _ = one.asSignal(onErrorJustReturn: 1) => subscribe(onMain:)
    _ = one.asCompletable() => 'ignoreElements()'
    _ = one.asDriver(onErrorDriveWith: .empty()) => share(replay: 1)
    _ = relay.asDriver() => subscribe(onMain:)
    _ = one.asSignal() => subscribe(onMain:)
    _ = one.asInfallible(onErrorJustReturn: 1) => 'catch(emitting:)'
    _ = one.asMaybe() => take(1)
    _ = one.andThen(text) => concat(second)
    _ = one.take(until: { $0 > 1 }, behavior: .inclusive) => inclusive: true
    _ = one.take(while: { $0 > 1 }, behavior: .inclusive) => inclusive: true
    _ = one.subscribe { event in switch event { case .next(let x): print(x); default: break } } => subscribe(next:fail:
    _ = one.subscribe { let next = $0 + 1; print(next) }
    _ = one.subscribe { _ in }
    _ = subject.asObserver() => itself
    _ = AnyObserver<Int> { event in print(event) } => a class of one's own
    _ = one.observe(on: MainScheduler.asyncInstance) => as an argument, .main
    _ = one.observe(on: ConcurrentMainScheduler.instance) => as an argument, .main
    let pause: RxTimeInterval = .seconds(1) => 'Duration'
    let virtual = VirtualScheduler(initialClock: 0) => its time begins at zero
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
    let lines = Self.lines.map { $0[0] }
    let said = try compile(lines)
    for (line, told) in zip(Self.lines, said) {
      let messages = told.map(\.message).joined(separator: "\n")
      if line.count == 1 {
        #expect(messages.isEmpty, "\(line[0]): \(messages)")
      } else {
        #expect(
          messages.contains(line[1]), "\(line[0]): \(messages.isEmpty ? "it reports nothing" : messages)")
      }
    }
    // What the compiler offers is right: a line that it has changed has no error any more.
    let changed = zip(lines, said).map { line, told in told.reduce(Hints(line)) { $0.adding($1) }.line }
    for (line, (change, told)) in zip(lines, zip(changed, try compile(changed))) where line != change {
      let errors = told.filter { !$0.isWarning }.map(\.message).joined(separator: "\n")
      #expect(errors.isEmpty, "\(line) became \(change)")
    }
    for (line, (change, row)) in zip(lines, zip(changed, Self.lines)) where row.count == 2 {
      let isRenamed = row[1].hasPrefix("'") && !row[1].hasSuffix(":'")
      #expect(!isRenamed || line != change, "\(line) has no fix-it")
    }
  }

  /// What the compiler says of each line, in a function of its own.
  private func compile(_ lines: [String]) throws -> [[Told]] {
    let head = """
      import Reactive
      let (one, text, subject, relay, clock) = (
        Observable.just(1), Observable.just("a"), PublishSubject<Int>(), PublishRelay<Int>(), ImmediateScheduler())

      """
    let first = head.split(separator: "\n", omittingEmptySubsequences: false).count
    let program = head + lines.enumerated().map { "func line\($0)() { \($1) }\n" }.joined()
    let file = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).swift")
    try program.write(to: file, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(at: file) }
    let process = Process()
    process.executableURL = URL(filePath: try #require(Self.compiler))
    process.arguments = [
      "-typecheck", "-swift-version", "6", "-diagnostic-style", "llvm", "-I", Self.modules, file.path,
    ]
    let pipe = Pipe()
    process.standardError = pipe
    try process.run()
    let said = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    let rows = said.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    var told = lines.map { _ in [Told]() }
    for (index, row) in rows.enumerated() where row.hasPrefix("\(file.path):") {
      let number = Int(row.dropFirst(file.path.count + 1).prefix { $0 != ":" }) ?? 0
      guard lines.indices.contains(number - first), row.contains("error:") || row.contains("unused") else {
        continue
      }
      // Below the line come the marks, and below them what it offers, if anything.
      let under = rows.dropFirst(index + 2).prefix(2).prefix { $0.hasPrefix(" ") }
        .map { Array($0.dropFirst("func line\(number - first)() { ".count)) }
      told[number - first].append(
        Told(
          message: String(row.dropFirst(file.path.count)), isWarning: !row.contains("error:"),
          marks: under.first ?? [], hints: under.count > 1 ? under[1] : []))
    }
    return told
  }
}

/// A message of the compiler, the marks under the line, and what it offers to write there.
private struct Told {
  let message: String
  let isWarning: Bool
  let marks: [Character]
  let hints: [Character]
}

/// A line with what the compiler offers written into it.
private struct Hints {
  let line: String

  init(_ line: String) {
    self.line = line
  }

  /// What is marked is replaced by what stands below it, or left out; what stands below no mark is put in.
  func adding(_ told: Told) -> Hints {
    guard !told.isWarning else { return self }
    var changes: [(Range<Int>, String)] = []
    let isRenamed = told.message.contains("has been re")  // renamed to, replaced by
    let marks = words(told.marks).filter { isRenamed ? $0.count > 1 : false }
    var hints = words(told.hints)
    for mark in marks {
      // A longer name before it moves a hint to the right.
      let hint = hints.firstIndex { mark.contains($0.lowerBound) }.map { hints.remove(at: $0) }
      if hint == nil, told.marks[mark.lowerBound] == "^" { continue }
      changes.append((mark, hint.map { String(told.hints[$0]) } ?? ""))
    }
    for hint in hints { changes.append((hint.lowerBound..<hint.lowerBound, String(told.hints[hint]) + " ")) }
    var letters = Array(line)
    for (range, text) in changes.sorted(by: { $0.0.lowerBound > $1.0.lowerBound }) {
      if range.upperBound <= letters.count { letters.replaceSubrange(range, with: text) }
    }
    return Hints(String(letters))
  }

  /// Where the words of a row stand.
  private func words(_ row: [Character]) -> [Range<Int>] {
    row.indices.filter { row[$0] != " " && ($0 == 0 || row[$0 - 1] == " ") }.map { start in
      start..<(row[start...].firstIndex(of: " ") ?? row.count)
    }
  }
}
