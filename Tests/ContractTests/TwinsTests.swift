import Expectations
import Language
import Reactive
import ReactiveTesting
import Testing
import Trials

/// Operators of the library and steps of pipelines mean the same: the same input makes the same output at the same time.
@Suite("Twins")
struct TwinsTests {
  /// A step, and the operator that is named as it is; elements are numbers, and their keys the tens.
  struct Twin: Sendable, CustomStringConvertible {
    let step: String
    let operate: @Sendable (Observable<Int>, VirtualScheduler) -> Observable<String>

    var description: String { step }

    init<Output: Sendable>(
      _ step: String, _ operate: @escaping @Sendable (Observable<Int>, VirtualScheduler) -> Observable<Output>
    ) {
      self.step = step
      self.operate = { operate($0, $1).map { "\($0)".replacing(" ", with: "") } }
    }
  }

  private static let tens: @Sendable (Int) -> Int = { $0 / 10 }

  private static let twins: [Twin] = [
    Twin("map: . * 2") { source, _ in source.map { $0 * 2 } },
    Twin("filter: . % 2 == 0") { source, _ in source.filter { $0 % 2 == 0 } },
    Twin("scan: { init: 0, update: . + $event }") { source, _ in source.scan(0) { $0 + $1 } },
    Twin("skip: { count: 3, per: stream }") { source, _ in source.skip(3) },
    Twin("take: { count: 5, per: stream }") { source, _ in source.take(5) },
    Twin("distinct_until_changed: . / 10 | floor") { source, _ in source.distinctUntilChanged(tens) },
    Twin("dedupe: . / 10 | floor") { source, _ in source.distinct(tens) },
    Twin("dedupe: { key: . / 10 | floor, bound: 2 }") { source, _ in source.distinct(bound: 2, tens) },
    Twin("dedupe: { key: . / 10 | floor, lifetime: 7s }") {
      $0.distinct(lifetime: .seconds(7), on: $1, tens)
    },
    Twin("debounce: 3s") { $0.debounce(for: .seconds(3), on: $1) },
    Twin("debounce: { for: 3s, max_wait: 8s, key: . / 10 | floor, bound: 2 }") {
      $0.debounce(for: .seconds(3), maxWait: .seconds(8), on: $1, bound: 2, by: tens)
    },
    Twin("throttle: 4s") { $0.throttle(for: .seconds(4), latest: false, on: $1) },
    Twin("throttle: { for: 4s, latest: true, key: . / 10 | floor, bound: 2 }") {
      $0.throttle(for: .seconds(4), on: $1, bound: 2, by: tens)
    },
    Twin("sample: 5s") { $0.sample(every: .seconds(5), on: $1) },
    Twin("sample: { every: 5s, key: . / 10 | floor, bound: 2 }") {
      $0.sample(every: .seconds(5), on: $1, bound: 2, by: tens)
    },
    Twin("batch: { count: 3, time: 6s }") { $0.buffer(3, or: .seconds(6), on: $1) },
    Twin("batch: 3") { source, _ in source.buffer(3) },
    Twin("delay: 4s") { $0.delay(for: .seconds(4), on: $1) },
    Twin("rate_limit: { count: 2, per: 6s, burst: 2 }") {
      $0.rateLimit(2, per: .seconds(6), burst: 2, on: $1)
    },
    // The step goes on after a silence, the operator with the other stream.
    Twin(
      """
      - timeout: { for: 6s, back: false }
      - scan: { init: {}, update: '{n: ($event | if type == "object" then -1 else . end), over: (.n == -1 or .over)}' }
      - filter: .over | not
      - map: .n
      """
    ) { $0.timeout(after: .seconds(6), on: $1, else: .just(-1)) },
  ]

  @Test("a step and its operator", arguments: twins, 1...3 as ClosedRange<UInt64>)
  func same(_ twin: Twin, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var seconds = 0
    // None comes at the instant at which a wait ends: which of the two is first is up to the clock.
    let elements = (1...40).map { number in
      seconds += [0, 0, 1, 1, 2, 5, 12][random.below(7)]
      return (time: Duration.milliseconds(1000 * seconds + number), value: random.below(50))
    }
    let end = Duration.seconds(seconds + 100)
    let clock = VirtualScheduler()
    let source = Observable<Int>.create { [elements] emitter in
      for (time, value) in elements {
        _ = clock.schedule(at: Instant() + time) { emitter.next(value) }
      }
      _ = clock.schedule(at: Instant() + end) { emitter.complete() }
    }
    let recording = clock.record(twin.operate(source, clock))
    clock.run()
    let operated = recording.records.compactMap { record in
      record.event.element.map { "\(text(record.time - Instant())) \($0)" }
    }
    let input = elements.map { "\(DurationText.format($0.time)) \($0.value)" }.joined(separator: "\n")
    let outcome = try Trial(twin.step).run(input + "\n\(DurationText.format(end)) end").outcome
    let stepped = (outcome.heard["heard"] ?? []).compactMap { heard in
      heard.value.map { "\(text(heard.at)) \($0)" }
    }
    expect(stepped, equals: operated)
    #expect(!stepped.isEmpty)
  }

  /// To the millisecond: times of scripts are fractions of seconds.
  private func text(_ time: Duration) -> String { "\((time / .milliseconds(1)).rounded()) ms" }
}
