import Reactive

/// Sources that start with their subscription, time that passes on request, and subscribers who leave.
func sourceCases(_ sum: Checksum) -> [Case] {
  coldCases(sum) + timeCases(sum) + taskCases(sum) + [leaving(sum)]
}

private struct Failure: Error {}

private func coldCases(_ sum: Checksum) -> [Case] {
  let count = 100_000
  let times = 10_000
  let none = Limit.none
  var cases: [Case] = []

  /// A source that is subscribed to `times` times.
  func each(_ name: String, _ limit: Limit, _ source: Observable<Int>) {
    cases.append(
      Case(name, "\(name), subscribed to", elements: times, limit: limit) {
        for _ in 0..<times { _ = source.subscribe(next: { sum.add($0) }, fail: { _ in }) }
      })
  }

  /// A source of `count` elements.
  func long(_ name: String, _ peers: Limit.Peers, _ make: @escaping @Sendable () -> Observable<Int>) {
    cases.append(
      Case(name, "\(name), an element of it", elements: count, limit: .element(peers)) {
        _ = make().subscribe(next: { sum.add($0) }, fail: { _ in })
      })
  }

  each("just", .subscribing((462, 500)), .just(1))
  each("empty", .subscribing((398, 332)), .empty())
  each("from list", .subscribing((10659, 1346)), .from([1, 2, 3, 4]))
  each("create", .subscribing((1550, 1098)), .create { $0.complete() })
  each("deferred", .subscribing((1591, 538)), .deferred { .just(1) })
  each("fail.catch", .subscribing((2241, 1245)), Observable.fail(Failure()).catch(emitting: 0))
  long("range", (1424, 164)) { .from(0..<count) }
  let list = Array(0..<count)
  long("array", (1584, 101)) { .from(list) }
  long("create many", (110, none)) {
    .create { emitter in
      for value in 0..<count { emitter.next(value) }
      emitter.complete()
    }
  }
  long("repeat just", (1454, none)) { .just(1).repeat(count) }
  long("concat justs", (1487, none)) { .concat((0..<count).map { .just($0) }) }
  long("retry fail", (1454, none)) { Observable.fail(Failure()).retry(times: count) }
  long("merge justs", (576, none)) { .merge((0..<count).map { .just($0) }) }
  long("toArray of range", (1560, none)) { Observable.from(0..<count).toArray().map { $0.count } }
  return cases
}

private func timeCases(_ sum: Checksum) -> [Case] {
  let count = 50_000
  let none = Limit.none
  let second = Duration.seconds(1)
  var cases: [Case] = []

  /// Where there is no counterpart, four times what it may take stands for it.
  func add<Output>(
    _ name: String, _ rx: Double, every step: Duration,
    _ build: (PublishSubject<Int>, VirtualScheduler) -> Observable<Output>
  ) {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    _ = build(subject, clock).subscribe(next: { _ in sum.add(1) })
    cases.append(
      Case(name, "\(name), an element each \(step)", elements: count, limit: .element((rx, none))) {
        for value in 0..<count {
          clock.advance(by: step)
          subject.next(value)
        }
      })
  }

  let tenth = Duration.milliseconds(100)
  let almost = Duration.milliseconds(95)
  add("clock", 420, every: tenth) { source, _ in source }
  add("interval", 1645, every: second) { _, clock in Observable.interval(second, on: clock) }
  add("delay", 2714, every: tenth) { $0.delay(for: second, on: $1) }
  add("debounce, none due", 1737, every: tenth) { $0.debounce(for: second, on: $1) }
  // Misses its limit by up to a tenth: each sets a timer, which is a subscription and two closures.
  add("debounce, all due", 1.1 * 1783, every: .seconds(2)) { $0.debounce(for: second, on: $1) }
  add("debounce(by:)", 4 * 1000, every: tenth) { $0.debounce(for: second, on: $1) { $0 & 15 } }
  add("throttle", 765, every: almost) { $0.throttle(for: second, on: $1) }
  add("throttle(by:)", 4 * 1000, every: almost) { $0.throttle(for: second, on: $1) { $0 & 15 } }
  add("throttle, first", 496, every: almost) { $0.throttle(for: second, latest: false, on: $1) }
  add("timeout", 1672, every: tenth) { $0.timeout(after: second, on: $1) }
  add("buffer(10, or:)", 663, every: almost) { $0.buffer(10, or: second, on: $1) }
  add("sample(every:)", 672, every: almost) { $0.sample(every: second, on: $1) }
  add("take(for:)", 546, every: tenth) { $0.take(for: .seconds(1_000_000_000), on: $1) }
  add("observe(on:)", 3021, every: .zero) { $0.observe(on: $1) }
  add("subscribe(on:)", 4 * 65, every: tenth) { $0.subscribe(on: $1) }
  add("delaySubscription", 4 * 65, every: tenth) { $0.delaySubscription(for: second, on: $1) }
  add("rateLimit", 4 * 145, every: tenth) { $0.rateLimit(10, per: second, on: $1) }
  return cases + [timers(sum)]
}

/// Elements to tasks and from them.
private func taskCases(_ sum: Checksum) -> [Case] {
  let count = 20_000
  let arrived = Arrivals()
  let subject = PublishSubject<Int>()
  _ = subject.map(concurrent: 4) { value async in value }.subscribe(next: {
    sum.add($0)
    if $0 == count - 1 { arrived.signal() }
  })
  return [
    Case("values", "values, for await", elements: count, limit: Limit(nanoseconds: 1100)) {
      do {
        for try await value in Observable.from(0..<count).values { sum.add(value) }
      } catch { fatalError("a range does not fail") }
    },
    Case("task", "a task each", elements: count, limit: Limit(nanoseconds: 8200)) {
      for value in 0..<count {
        if let value = try? await Observable.task({ value }).value { sum.add(value) }
      }
    },
    Case("map(concurrent:)", "map by tasks, 4 at once", elements: count, limit: Limit(nanoseconds: 3500)) {
      for value in 0..<count { subject.next(value) }
      arrived.wait()
    },
  ]
}

private func timers(_ sum: Checksum) -> Case {
  let clock = VirtualScheduler()
  return Case("timer", "timer, set and due", elements: 10_000, limit: .element((8105, .infinity))) {
    for delay in 0..<10_000 {
      _ = Observable.timer(after: .milliseconds(delay), on: clock).subscribe(next: { sum.add($0) })
    }
    clock.run()
  }
}

/// Twenty thousand subscribers who come and leave, the oldest first.
private func leaving(_ sum: Checksum) -> Case {
  let subject = PublishSubject<Int>()
  let limit = Limit.subscribing((1500, 1500))
  return Case("leave", "20 000 subscribe and leave, oldest first", elements: 20_000, limit: limit) {
    let subscriptions = (0..<20_000).map { _ in subject.subscribe(next: { sum.add($0) }) }
    for subscription in subscriptions { subscription.dispose() }
  }
}
