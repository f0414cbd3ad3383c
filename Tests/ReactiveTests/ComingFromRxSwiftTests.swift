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
