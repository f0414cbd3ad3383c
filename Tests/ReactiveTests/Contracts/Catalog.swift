import Reactive
import ReactiveTesting

extension Contract {
  /// Every operator, by name, in the ways that differ inside.
  ///
  /// `KitTests` fails for an operator that is missing here.
  static let all: [Contract] = sources + transforming + filtering + combining + timed + sharing

  private static let second: Duration = .seconds(1)

  private static let sources: [Contract] = [
    .source("Just") { _ in .just(1) },
    .source("Empty") { _ in Observable<Int>.empty() },
    .source("Never") { _ in Observable<Int>.never() }.endless,
    .source("Fail") { _ in Observable<Int>.fail(Oops()) },
    .source("From") { _ in .from(1...3) },
    .source("Create") { _ in
      Observable<Int>.create { emitter in
        emitter.next(1)
        emitter.next(batch: [2, 3])
        emitter.complete()
        emitter.next(4)
      }
    },
    .source("Task") { clock in .task(on: clock) { 1 } },
    .plain("Values") { source, clock in .from(source.values(), on: clock) }.lasting.connected,
    .plain("Deferred") { source, _ in .deferred { source } },
    .plain("Using") { source, _ in .using({ 1 }, dispose: { _ in }) { _ in source } },
    .source("Interval") { clock in .interval(second, on: clock).take(3) },
    .source("Timer") { clock in .timer(after: second, on: clock) },
    .source("Timer", "every") { clock in .timer(after: second, every: second, on: clock).take(3) },
  ]

  private static let transforming: [Contract] = [
    .calling("Map") { source, _, probe in source.map { try probe($0) } },
    .calling("Map", "in tasks") { source, clock, probe in source.map(on: clock) { await one(try probe($0)) }
    },
    .calling("Map", "many") { source, _, probe in
      source.mapMany { (number, emit: (Int) -> Void) in emit(try probe(number)) }
    },
    .calling("CompactMap") { source, _, probe in source.compactMap { try probe($0) } },
    .calling("FlatMap", "scalar") { source, _, probe in source.flatMap { .just(try probe($0)) } },
    .calling("FlatMap", "sequence") { source, _, probe in
      source.flatMap { Observable.from([try probe($0), 0]) }
    },
    .calling("FlatMap", "limited") { source, _, probe in
      source.flatMap(limit: 2) { Observable.from([try probe($0), 0]) }
    },
    .calling("FlatMap", "in tasks") { source, clock, probe in
      source.flatMap(concurrent: 4, on: clock) { .just(await one(try probe($0))) }
    },
    .calling("Expand") { source, _, probe in
      source.expand { try probe($0) < 100 ? Observable.just($0 + 100) : .empty() }
    },
    .calling("ConcatMap") { source, _, probe in source.concatMap { Observable.from([try probe($0)]) } },
    .calling("FlatMapFirst") { source, _, probe in source.flatMapFirst { Observable.from([try probe($0)]) } },
    .calling("FlatMapLatest") { source, _, probe in source.flatMapLatest { Observable.from([try probe($0)]) }
    },
    .calling("SwitchLatest") { source, _, probe in
      source.map { Observable.just(try probe($0)) }.switchLatest()
    },
    .calling("Scan") { source, _, probe in source.scan(0) { $0 + (try probe($1)) } },
    .calling("Transform") { source, _, probe in
      source.transform(from: 0, { $2(try probe($1)) }, atEnd: { $1($0) })
    },
    .calling("Reduce") { source, _, probe in source.reduce(0) { $0 + (try probe($1)) } },
    .plain("ToArray") { source, _ in source.toArray() },
    .plain("AdjacentPairs") { source, _ in source.adjacentPairs() },
    .calling("Chunked", "by") { source, _, probe in source.chunked { try probe($0) + 1 < $1 } },
    .calling("Chunked", "on") { source, _, probe in source.chunked(on: { try probe($0) / 2 }) },
    .plain("Buffer", "count") { source, _ in source.buffer(2) },
    .plain("Buffer", "time") { source, clock in source.buffer(2, or: second, on: clock) },
    .plain("Window", "count") { source, _ in source.window(2).flatMap { $0 } },
    .plain("Window", "time") { source, clock in source.window(2, or: second, on: clock).flatMap { $0 } },
    .calling("GroupBy") { source, _, probe in
      source.group(limit: 2, completesOldest: true) { try probe($0) % 3 }.flatMap { $0 }
    },
    .plain("Materialize") { source, _ in source.materialize() },
    .calling("Materialize", "dematerialize") { source, _, probe in
      source.dematerialize { StreamEvent<Int>.next(try probe($0)) }
    },
  ]

  private static let filtering: [Contract] = [
    .calling("Filter") { source, _, probe in source.filter { try probe($0) >= 0 } },
    .calling("Filter", "in tasks") { source, clock, probe in
      source.filter(on: clock) { await one(try probe($0)) >= 0 }
    },
    .calling("Distinct") { source, _, probe in source.distinct { try probe($0) } },
    .calling("Distinct", "lifetime") { source, clock, probe in
      source.distinct(bound: 2, lifetime: second, on: clock) { try probe($0) }
    },
    .calling("DistinctUntilChanged") { source, _, probe in source.distinctUntilChanged { try probe($0) } },
    .calling("DistinctUntilChanged", "by") { source, _, probe in
      source.distinctUntilChanged(by: { try probe($0) == $1 })
    },
    .plain("Single") { source, _ in source.single() },
    .calling("Single", "where") { source, _, probe in source.single(where: { try probe($0) == 3 }) },
    .plain("Element", "at") { source, _ in source.element(at: 1) },
    .plain("IfEmpty") { source, _ in source.ifEmpty(switchTo: .just(0)) },
    .plain("IfEmpty", "default") { source, _ in source.ignoreElements().ifEmpty(default: 0) },
    .plain("Take") { source, _ in source.take(2) },
    .calling("TakeWhile") { source, _, probe in source.take(while: { try probe($0) < 3 }, inclusive: true) },
    .calling("TakeUntil", "condition") { source, _, probe in source.take(until: { try probe($0) > 3 }) },
    .plain("TakeUntil") { source, clock in source.take(until: Observable.timer(after: .seconds(3), on: clock))
    },
    .plain("TakeFor") { source, clock in source.take(for: .seconds(3), on: clock) },
    .plain("TakeLast") { source, _ in source.takeLast(2) },
    .plain("Skip") { source, _ in source.skip(1) },
    .calling("SkipWhile") { source, _, probe in source.skip(while: { try probe($0) < 2 }) },
    .plain("SkipUntil") { source, _ in source.skip(until: Observable.just(0)) },
    .plain("SkipFor") { source, clock in source.skip(for: .seconds(1), on: clock) },
    .calling("First") { source, _, probe in source.first(where: { try probe($0) > 1 }) },
    .plain("IgnoreElements") { source, _ in source.ignoreElements() },
    .plain("Sample") { source, clock in source.sample(Observable.interval(second, on: clock)) }.lasting,
    .calling("Do") { source, _, probe in source.do(next: { _ = try probe($0) }) },
    .calling("Do", "in tasks") { source, clock, probe in
      source.do(on: clock, next: { _ = await one(try probe($0)) })
    },
    .plain("Debug") { source, _ in source.debug("kit", to: { _ in }) },
  ]

  private static let combining: [Contract] = [
    .plain("Merge") { source, _ in .merge([source, source, .just(0)]) }.twice,
    .plain("Concat") { source, _ in source.concat(.just(0)) },
    .calling("CombineLatest") { source, _, probe in
      source.combineLatest(source) { try probe($0) + $1 }
    }.twice,
    .calling("CombineLatest", "of any types") { source, _, probe in
      Observable.combineLatest(source, source, Observable.just("")) { try probe($0) + $1 + $2.count }
    }.twice,
    .plain("CombineLatestList") { source, _ in Observable<Int>.combineLatest([source, source, .just(0)]) }
      .twice,
    .plain("Zip", "list") { source, _ in Observable<Int>.zip([source, source]) },
    .calling("Zip") { source, _, probe in source.zip(source) { try probe($0) + $1 } },
    .calling("Zip", "of any types") { source, _, probe in
      Observable.zip(source, source, source.map { "\($0)" }) { try probe($0) + $1 + $2.count }
    },
    .plain("WithLatestFrom") { source, _ in source.withLatestFrom(Observable.just(1)) },
    .calling("WithLatest") { source, _, probe in source.withLatest(Observable.just(1)) { try probe($0) + $1 }
    },
    .plain("StartWith") { source, _ in source.startWith(-1, 0) },
    .plain("Amb") { source, _ in .amb([source, .never()]) },
    .plain("Repeat") { source, _ in source.repeat(2) }.lasting,
    .plain("Retry") { source, _ in source.retry(times: 1) }.lasting,
    .plain("Retry", "when") { source, _ in source.retry(when: { $0.take(1) }) }.lasting,
    .plain("MapError") { source, _ in source.mapError { $0 } },
    .plain("Catch") { source, _ in source.catch { _ in .just(0) } },
    .plain("Catch", "emitting") { source, _ in source.catch(emitting: 0) },
  ]

  private static let timed: [Contract] = [
    .plain("Debounce") { source, clock in source.debounce(for: second, on: clock) },
    .calling("DebounceByKey") { source, clock, probe in
      source.debounce(for: second, maxWait: .seconds(3), on: clock, bound: 2) { try probe($0) }
    },
    .plain("Throttle", "latest") { source, clock in source.throttle(for: second, on: clock) },
    .plain("Throttle", "first") { source, clock in source.throttle(for: second, latest: false, on: clock) },
    .calling("Throttle", "by key") { source, clock, probe in
      source.throttle(for: second, on: clock) { try probe($0) }
    },
    .plain("Sample", "every") { source, clock in source.sample(every: second, on: clock) },
    .calling("Sample", "every, by key") { source, clock, probe in
      source.sample(every: second, on: clock) { try probe($0) }
    },
    .plain("RetryBackoff") { source, clock in
      source.retry(Backoff(initial: second, jitter: 0, attempts: 1), on: clock)
    }.lasting,
    .plain("Timeout") { source, clock in source.timeout(after: .seconds(5), on: clock) },
    .plain("Timeout", "fallback") { source, clock in
      source.timeout(after: .seconds(5), on: clock, else: .just(0))
    },
    .plain("Delay") { source, clock in source.delay(for: second, on: clock) },
    .plain("DelaySubscription") { source, clock in source.delaySubscription(for: second, on: clock) },
    .plain("RateLimit") { source, clock in source.rateLimit(1, per: second, burst: 2, on: clock) },
  ]

  private static let sharing: [Contract] = [
    .plain("Publish") { source, _ in source.publish().autoconnect() }.connected,
    .plain("Publish", "replay") { source, _ in source.replay(2).autoconnect() }.connected,
    .plain("Publish", "refCount") { source, _ in source.publish().refCount() },
    .plain("Multicast") { source, _ in source.multicast(PublishSubject()).refCount() },
    .plain("Share", "forever") { source, _ in source.share(replay: 2, scope: .forever) },
    .plain("Share") { source, _ in source.share() },
    .plain("Share", "replay") { source, _ in source.share(replay: 2) },
    .plain("ObserveOn") { source, clock in source.observe(on: clock) },
    .plain("ObserveOn", "small") { source, clock in
      source.observe(on: clock, capacity: 1, overflow: .dropOldest)
    },
    .plain("SubscribeOn") { source, clock in source.subscribe(on: clock) },
  ]
}

/// A number, after a suspension.
private func one(_ number: Int) async -> Int {
  await Task.yield()
  return number
}
