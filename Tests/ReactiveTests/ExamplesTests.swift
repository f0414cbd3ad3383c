import Foundation
import Reactive
import ReactiveTesting
import Testing

/// The examples in the operators' doc comments, run; the last test holds the two against each other.
@Suite struct ExamplesTests {
  @Test func examplesDoWhatTheySay() {
    example("1, |") { clock in Observable.amb([Observable.never(), Observable.just(1)]) }
    example("[1, 2], [3, 4], [5], |") { clock in Observable.from(1...5).buffer(2) }
    example("[1, 2], [3], |") { clock in Observable.from(1...3).buffer(2, or: .seconds(1), on: clock) }
    example("0, |") { clock in Observable<Int>.fail(Oops()).catch { _ in Observable.just(0) } }
    example("0, |") { clock in Observable<Int>.fail(Oops()).catch(emitting: 0) }
    example("11, 21, |") { clock in Observable.just(1).combineLatest(Observable.from([10, 20])) { $0 + $1 } }
    example("[1, 2], [1, 3], |") { clock in
      Observable.combineLatest([Observable.just(1), Observable.from([2, 3])])
    }
    example("1, 3, |") { clock in Observable.from(["1", "x", "3"]).compactMap { Int($0) } }
    example("1, 2, 3, |") { clock in Observable.concat([Observable.from([1, 2]), Observable.just(3)]) }
    example("1, 2, |") { clock in Observable.just(1).concat(Observable.just(2)) }
    example("1, 2, |") { clock in Observable.concat(Observable.just(1), Observable.just(2)) }
    example("1, 2, |") { clock in Observable.merge(Observable.just(1), Observable.just(2)) }
    example("1a, |") { clock in
      Observable.combineLatest(Observable.just(1), Observable.just("a")) { "\($0)\($1)" }
    }
    example("1a, |") { clock in
      Observable.zip(Observable.from([1, 2]), Observable.just("a")) { "\($0)\($1)" }
    }
    example("1, -1, 2, -2, |") { clock in Observable.from(1...2).concatMap { Observable.from([$0, -$0]) } }
    example("1, |") { clock in
      Observable<Int>.create {
        $0.next(1); $0.complete(); $0.next(2)
      }
    }
    example("3, |") { clock in Observable.from(1...3).debounce(for: .seconds(1), on: clock) }
    example("2, 12, |") { clock in
      Observable.from([1, 2, 11, 12]).debounce(for: .seconds(1), on: clock) { $0 / 10 }
    }
    example("1, |") { clock in Observable.just(1).debug("one", to: { print($0) }) }
    example("42, |") { clock in Observable.deferred { Observable.just(6 * 7) } }
    example("1, 2, |") { clock in Observable.from(1...2).delay(for: .seconds(2), on: clock) }
    example("1, 2, 3, |") { clock in Observable.from([1, 2, 1, 3, 2]).distinct { $0 } }
    example("1, |") { clock in Observable.from([1, 1]).distinct(lifetime: .seconds(60), on: clock) { $0 } }
    example("1, 2, 1, |") { clock in Observable.from([1, 1, 2, 2, 1]).distinctUntilChanged { $0 } }
    example("1, 2, |") { clock in Observable.from([1, 1, 2]).distinctUntilChanged() }
    example("1, 2, |") { clock in Observable.from(1...2).do(next: { print($0) }) }
    example("2, 4, 6, |") { clock in
      Observable.from(1...3).map(concurrent: 2, on: clock) { await twice($0) }
    }
    example("3, 4, |") { clock in Observable.from(1...4).filter(on: clock) { await twice($0) > 4 } }
    example("1, 2, |") { clock in Observable.from(1...2).do(on: clock, next: { print(await twice($0)) }) }
    example("2, 4, |") { clock in Observable.from(1...2).flatMap(on: clock) { .just(await twice($0)) } }
    example("42, |") { clock in Observable.task(on: clock) { 6 * 7 } }
    example("a, b, |") { clock in Observable.from(Observable.from(["a", "b"]).values(), on: clock) }
    example("1, 2, 3, |") { clock in Observable.from(Observable.from(1...3).values(), on: clock) }
    example("[1, 2, 3], |") { clock in Observable.from(1...3).toArray() }
    example("1, |") { clock in Observable.just(1).single() }
    example("4, |") { clock in Observable.from(1...4).single(where: { $0 > 3 }) }
    example("3, |") { clock in Observable.from(1...4).element(at: 2) }
    example("1, 2, |") { clock in Observable<Int>.empty().ifEmpty(switchTo: Observable.from(1...2)) }
    example("0, |") { clock in Observable<Int>.empty().ifEmpty(default: 0) }
    example("42, |") { clock in
      Observable.using({ 6 }, dispose: { print("closed", $0) }) { Observable.just($0 * 7) }
    }
    example("1, 1, |") { clock in Observable.just(1).concat(.fail(Oops())).retry(when: { $0.take(1) }) }
    example("3, 5, |") { clock in Observable.from([1, 4, 9]).adjacentPairs().map { $1 - $0 } }
    example("[1, 2], [5, 6], |") { clock in Observable.from([1, 2, 5, 6]).chunked { $1 == $0 + 1 } }
    example("1: [1, 3], 0: [4], 1: [5], |") { clock in
      Observable.from([1, 3, 4, 5]).chunked(on: { $0 % 2 }).map { "\($0): \($1)" }
    }
    example("1a2.5, |") { clock in
      Observable.combineLatest(Observable.just(1), Observable.just("a"), Observable.just(2.5)) {
        "\($0)\($1)\($2)"
      }
    }
    example("3, 4, |") { clock in
      Observable.combineLatest(Observable.just(1), Observable.from([2, 3])).map { $0 + $1 }
    }
    example("1a2.5, |") { clock in
      Observable.zip(Observable.from([1, 2]), Observable.just("a"), Observable.just(2.5)) {
        "\($0)\($1)\($2)"
      }
    }
    example("3, 8, |") { clock in
      Observable.zip(Observable.from([1, 2]), Observable.from([3, 4])).map { $0 * $1 }
    }
    example("1, 2, |") { clock in Observable.from(1...2).delaySubscription(for: .seconds(2), on: clock) }
    example("1, |") { clock in
      Observable<Int>.fail(Oops()).mapError { Broken(cause: $0) }.catch {
        $0 is Broken ? .just(1) : .fail($0)
      }
    }
    example("1.0, 1.6, |") { clock in
      Observable.from([1.0, 1.1, 1.6]).distinctUntilChanged(by: { abs($0 - $1) < 0.5 })
    }
    example("1, 2, 3, |") { clock in Observable.from(1...9).take(until: { $0 > 2 }, inclusive: true) }
    example("a, a, |") { clock in Observable.from([1, 2]).withLatestFrom(Observable.just("a")) }
    example("1, 2, |") { clock in Observable.from(1...2).multicast(PublishSubject()).autoconnect() }
    example("0, 1, 2, |") { clock in Observable.from(1...2).multicast(BehaviorSubject(0)).autoconnect() }
    example("|") { clock in Observable<Int>.empty() }
    example("1, 2, 4, 8, |") { clock in
      Observable.just(1).expand { $0 < 8 ? Observable.just($0 * 2) : Observable.empty() }
    }
    example("#") { clock in Observable<Int>.fail(Oops()) }
    example("2, 4, |") { clock in Observable.from(1...4).filter { $0.isMultiple(of: 2) } }
    example("4, |") { clock in Observable.from(1...9).first(where: { $0 > 3 }) }
    example("1, |") { clock in Observable.from(1...9).first() }
    example("1, 10, 2, 20, 3, 30, |") { clock in
      Observable.from(1...3).flatMap { Observable.from([$0, $0 * 10]) }
    }
    example("10, |") { clock in
      Observable.from(1...3).flatMapFirst { Observable.just($0 * 10).delay(for: .seconds(1), on: clock) }
    }
    example("30, |") { clock in
      Observable.from(1...3).flatMapLatest { Observable.just($0 * 10).delay(for: .seconds(1), on: clock) }
    }
    example("a, b, |") { clock in Observable.from(["a", "b"]) }
    example("3, 4, |") { clock in Observable.from(1...4).group { $0 % 2 }.flatMap { $0.takeLast(1) }
    }
    example("|") { clock in Observable.from(1...3).ignoreElements() }
    example("0, 1, 2, |") { clock in Observable.interval(.seconds(1), on: clock).take(3) }
    example("7, |") { clock in Observable.just(7) }
    example("2, 4, 6, |") { clock in Observable.from(1...3).map { $0 * 2 } }
    example("false, true, |") { clock in Observable.just(1).materialize().map { $0.isTerminal } }
    example("1, |") { clock in
      Observable.from([StreamEvent.next(1), .completed, .next(2)]).dematerialize { $0 }
    }
    example("1, 2, 3, |") { clock in Observable.merge([Observable.from([1, 2]), Observable.just(3)]) }
    example("1, 2, |") { clock in Observable.just(1).merge(with: Observable.just(2)) }
    example("|") { clock in Observable<Int>.never().take(for: .seconds(1), on: clock) }
    example("2, 3, |") { clock in
      Observable.from(1...3).observe(on: clock, capacity: 2, overflow: .dropOldest)
    }
    example("1, 2, |") { clock in Observable.from(1...2).publish().autoconnect() }
    example("1, 2, 3, |") { clock in Observable.from(1...3).replay(2).autoconnect() }
    example("1, 2, 3, |") { clock in Observable.from(1...3).rateLimit(2, per: .seconds(1), on: clock) }
    example("10, |") { clock in Observable.from(1...4).reduce(0) { $0 + $1 } }
    example("[1, 2, 3], |") { clock in Observable.from(1...3).reduce(into: [Int]()) { $0.append($1) } }
    example("1, 2, 1, 2, |") { clock in Observable.from([1, 2]).repeat(2) }
    example("1, 1, #") { clock in Observable.just(1).concat(.fail(Oops())).retry(times: 1) }
    example("#") { clock in
      let backoff = Backoff(initial: .seconds(1), jitter: 0, attempts: 2)
      return Observable<Int>.fail(Oops()).retry(backoff, on: clock)
    }
    example("1, 3, |") { clock in
      Observable.interval(.seconds(2), on: clock).sample(Observable.interval(.seconds(5), on: clock)).take(2)
    }
    example("1, 3, 6, 10, |") { clock in Observable.from(1...4).scan(0) { $0 + $1 } }
    example("[1], [1, 2], [1, 2, 3], |") { clock in
      Observable.from(1...3).scan(into: [Int]()) { $0.append($1) }
    }
    example("1, 2, |") { clock in Observable.from(1...2).share() }
    example("3, 4, |") { clock in Observable.from(1...4).skip(2) }
    example("1, 2, |") { clock in
      Observable.interval(.seconds(1), on: clock).skip(for: .milliseconds(1500), on: clock).take(2)
    }
    example("1, 2, 3, |") { clock in Observable.from(1...3).skip(until: Observable.just("now")) }
    example("3, 1, |") { clock in Observable.from([1, 2, 3, 1]).skip(while: { $0 < 3 }) }
    example("1, 2, 3, |") { clock in Observable.just(3).startWith(1, 2) }
    example("1, 2, |") { clock in Observable.from(1...2).subscribe(on: clock) }
    example("1, 2, |") { clock in Observable.from([Observable.just(1), Observable.just(2)]).switchLatest() }
    example("1, 2, |") { clock in Observable.from(1...9).take(2) }
    example("0, 1, |") { clock in
      Observable.interval(.seconds(1), on: clock).take(for: .milliseconds(2500), on: clock)
    }
    example("8, 9, |") { clock in Observable.from(1...9).takeLast(2) }
    example("1, 2, 3, |") { clock in Observable.from(1...3).take(until: Observable<Int>.never()) }
    example("1, 2, |") { clock in Observable.from(1...9).take(while: { $0 < 3 }) }
    example("1, |") { clock in Observable.from(1...3).throttle(for: .seconds(5), latest: false, on: clock) }
    example("1, 11, |") { clock in
      Observable.from([1, 11, 2]).throttle(for: .seconds(5), latest: false, on: clock) { $0 / 10 }
    }
    example("3, |") { clock in Observable.from(1...3).sample(every: .seconds(5), on: clock) }
    example("11, 2, |") { clock in
      Observable.from([1, 11, 2]).sample(every: .seconds(5), on: clock) { $0 / 10 }
    }
    example("0, |") { clock in
      Observable<Int>.never().timeout(after: .seconds(5), on: clock, else: Observable.just(0))
    }
    example("0, |") { clock in Observable.timer(after: .seconds(1), on: clock) }
    example("3, 3, |") { clock in Observable.from(1...3).window(2).concatMap { $0.reduce(0) { $0 + $1 } } }
    example("3, |") { clock in
      Observable.from(1...3).window(9, or: .seconds(1), on: clock).concatMap { $0.takeLast(1) }
    }
    example("3, 4, 5, |") { clock in Observable.from([3, 1, 4, 1, 5]).records() }
    example("1a, 2a, |") { clock in Observable.from([1, 2]).withLatest(Observable.just("a")) { "\($0)\($1)" }
    }
    example("[1, 10], [2, 20], |") { clock in
      Observable.zip([Observable.from([1, 2, 3]), Observable.from([10, 20])])
    }
    example("1a, 2b, |") { clock in
      Observable.from([1, 2]).zip(Observable.from(["a", "b"])) { "\($0)\($1)" }
    }
  }

  @Test func everyExampleInADocCommentIsHere() throws {
    let here = try collapsed(String(contentsOf: URL(filePath: #filePath), encoding: .utf8))
    let folder = URL(filePath: #filePath).appending(path: "../../../Sources/Reactive/Operators").standardized
    var count = 0
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let text = try String(contentsOf: file, encoding: .utf8)
      let documented = text.split(separator: "\n").compactMap { Example(line: String($0)) }
      #expect(!documented.isEmpty, "\(file.lastPathComponent) has no example")
      for example in documented {
        count += 1
        let alone = collapsed("example(\"\(example.outcome)\") { clock in \(example.expression) }")
        let found = here.contains(alone) || here.contains(collapsed("return \(example.expression) }"))
        #expect(found, "not run: \(example.expression)")
      }
    }
    #expect(count > 60)
  }
}

extension Observable where Element == Int {
  /// The elements that are larger than all before them.
  fileprivate func records() -> Observable {
    transform(from: Int.min) { largest, value, emit in
      guard value > largest else { return }
      largest = value
      emit(value)
    }
  }
}

/// A line of a doc comment such as `Observable.just(7)  // 7, |`.
private struct Example {
  let expression: String
  let outcome: String

  init?(line: String) {
    let text = line.trimmingCharacters(in: .whitespaces)
    guard text.hasPrefix("/// Observable"), let comment = text.range(of: "  // ") else { return nil }
    expression = String(text[..<comment.lowerBound].dropFirst(4))
    outcome = String(text[comment.upperBound...])
  }
}

private func collapsed(_ text: String) -> String {
  text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
}

private func example<Element: Sendable>(
  _ expected: String, location: SourceLocation = #_sourceLocation,
  _ build: (VirtualScheduler) -> Observable<Element>
) {
  #expect(outcome(build) == expected, sourceLocation: location)
}

/// An error with another one as its cause.
private struct Broken: Error {
  let cause: any Error
}

/// What examples of asynchronous closures call.
private func twice(_ number: Int) async -> Int {
  await Task.yield()
  return number * 2
}
