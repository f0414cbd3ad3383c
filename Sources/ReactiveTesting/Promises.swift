import Reactive

extension Contract {
  /// A promise that every operator makes.
  public enum Promise: String, CaseIterable, Sendable {
    /// One terminal when the source completes, and nothing after it.
    case grammarOnCompletion = "one terminal when the source completes, and nothing after it"
    /// One terminal when the source fails, and nothing after it.
    case grammarOnFailure = "one terminal when the source fails, and nothing after it"
    /// The same with a source that ends inside `subscribe`.
    case grammarAtOnce = "the same of a source that ends at once"
    /// Nothing comes after a dispose inside `next`.
    case silenceAfterDispose = "nothing after a dispose inside next"
    /// A source that is still inside `subscribe` is stopped by a dispose.
    case stopsItsSource = "a source that is still inside subscribe is stopped"
    /// A closure that throws fails the stream, once, and is not called again.
    case failsOnce = "a closure that throws fails the stream, once"
    /// Events that are sent from inside `next` keep the grammar.
    case orderFromInside = "what is sent from inside next keeps the grammar"
    /// Elements that travel several at a time are the same as those that travel alone.
    case batches = "elements that travel several at a time are the same as elements that travel alone"
    /// Nothing is kept when the source is released without an end.
    case releasesWithSource = "nothing is kept when the source is released without an end"
    /// Everything is released when the source completes.
    case releasesOnCompletion = "everything is released when the source completes"
    /// Everything is released when the source fails.
    case releasesOnFailure = "everything is released when the source fails"
    /// Everything is released on a dispose.
    case releasesOnDispose = "everything is released on dispose"
    /// Everything is released on a dispose inside `next`.
    case releasesInsideNext = "everything is released on a dispose inside next"
  }

  /// How this use of an operator breaks a promise, in sentences; none where it keeps it, or where it is not concerned.
  public func breaches(of promise: Promise) throws -> [String] {
    switch promise {
    case .grammarOnCompletion: try grammar("a-b(cd)--e-|")
    case .grammarOnFailure: try grammar("a-b(cd)--e-#")
    case .grammarAtOnce: grammarAtOnce()
    case .silenceAfterDispose: try silenceAfterDispose()
    case .stopsItsSource: stopsItsSource()
    case .failsOnce: throwing ? try failsOnce() + batchEndsWhereAClosureThrows() : []
    case .orderFromInside: hasSource ? orderFromInside() : []
    case .batches: hasSource && !listensTwice ? batches() : []
    case .releasesWithSource: outlivesSource ? [] : releasesWithSource()
    case .releasesOnCompletion: releases { subject, _ in subject.complete() }
    case .releasesOnFailure: releases { subject, _ in subject.fail(MarbleFailure()) }
    case .releasesOnDispose: releases { _, subscription in subscription.dispose() }
    case .releasesInsideNext: releases(insideNext: true) { _, subscription in subscription.dispose() }
    }
  }

  private static let numbers: [Character: Int] = ["a": 1, "b": 2, "c": 3, "d": 4, "e": 5]

  private func grammar(_ drawing: String) throws -> [String] {
    let clock = VirtualScheduler()
    let source = try clock.hot(drawing, Self.numbers)
    let witness = Witness()
    witness.watch(build(source, clock, { $0 }))
    clock.run(limit: 1000)
    var breaches = Breaches(witness.breaches)
    if !isEndless { breaches.expect(witness.terminals == 1, "there are \(witness.terminals) terminals") }
    breaches.expect(source.subscriptions.allSatisfy { $0.contains("!") }, "the source is not left")
    return breaches.list
  }

  private func grammarAtOnce() -> [String] {
    let clock = VirtualScheduler()
    let witness = Witness()
    witness.watch(build(.from(1...3), clock, { $0 }))
    clock.run(limit: 1000)
    var breaches = Breaches(witness.breaches)
    breaches.expect(witness.terminals <= 1, "there are \(witness.terminals) terminals")
    return breaches.list
  }

  private func silenceAfterDispose() throws -> [String] {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b(cd)--e-|", Self.numbers)
    let witness = Witness { witness, _ in witness.subscription.dispose() }
    witness.watch(build(source, clock, { $0 }))
    clock.run(limit: 1000)
    var breaches = Breaches()
    breaches.expect(witness.elements.count <= 1, "an element follows")
    breaches.expect(witness.elements.isEmpty || witness.terminals == 0, "a terminal follows")
    breaches.expect(
      staysConnected || source.subscriptions.allSatisfy { $0.contains("!") }, "the source is not left")
    return breaches.list
  }

  private func stopsItsSource() -> [String] {
    let clock = VirtualScheduler()
    let emitted = Tally()
    let source = Observable<Int>.create { emitter in
      for number in 0..<1000 where !emitter.isDisposed {
        emitted.add()
        emitter.next(number)
      }
      emitter.complete()
    }
    let atDispose = Tally()
    let witness = Witness { witness, _ in
      atDispose.add(emitted.value)
      witness.subscription.dispose()
    }
    witness.watch(build(source, clock, { $0 }))
    clock.run(limit: 1000)
    var breaches = Breaches()
    breaches.expect(witness.elements.count <= 1, "an element follows the dispose")
    if !witness.elements.isEmpty, !staysConnected {
      breaches.expect(emitted.value == atDispose.value, "the source goes on")
    }
    return breaches.list
  }

  private func failsOnce() throws -> [String] {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-(cd)-e-|", Self.numbers)
    let calls = Tally()
    let witness = Witness()
    witness.watch(build(source, clock, throwing(at: 2, calls)))
    clock.run(limit: 1000)
    var breaches = Breaches(witness.breaches)
    breaches.expect(witness.terminals == 1, "there are \(witness.terminals) terminals")
    breaches.expect(
      witness.failures.count == 1 && witness.failures.first is MarbleFailure,
      "it fails with \(witness.failures)")
    breaches.expect(calls.value == 2, "the closure is called again")
    breaches.expect(source.subscriptions.allSatisfy { $0.contains("!") }, "the source is not left")
    return breaches.list
  }

  private func batchEndsWhereAClosureThrows() -> [String] {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let calls = Tally()
    let witness = Witness()
    witness.watch(build(subject, clock, throwing(at: 2, calls)))
    subject.next(batch: [1, 2, 3, 4])
    clock.run(limit: 1000)
    var breaches = Breaches()
    breaches.expect(
      calls.value == 2, "the closure is called \(calls.value) times in a batch, though it throws")
    breaches.expect(witness.failures.count == 1, "there are \(witness.failures.count) failures in a batch")
    return breaches.list
  }

  private func throwing(at last: Int, _ calls: Tally) -> Probe {
    { number in
      calls.add()
      if calls.value >= last { throw MarbleFailure() }
      return number
    }
  }

  private func orderFromInside() -> [String] {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let fed = Tally()
    let witness = Witness { _, _ in
      if fed.value >= 3 { return }
      fed.add()
      subject.next(10 * fed.value)
    }
    witness.watch(build(subject, clock, { $0 }))
    for number in 1...3 { subject.next(number) }
    clock.advance(by: .seconds(10))
    subject.complete()
    clock.run(limit: 1000)
    var breaches = Breaches(witness.breaches)
    breaches.expect(witness.terminals <= 1, "there are \(witness.terminals) terminals")
    return breaches.list
  }

  private func batches() -> [String] {
    var breaches = Breaches()
    func run(batched: Bool) -> [String] {
      let clock = VirtualScheduler()
      let subject = PublishSubject<Int>()
      let witness = Witness()
      witness.watch(build(subject, clock, { $0 }))
      for batch in [[1, 2, 3], [4], [], [5, 5, 6]] {
        if batched { subject.next(batch: batch) } else { batch.forEach(subject.next) }
        clock.advance(by: .seconds(2))
      }
      subject.complete()
      clock.run(limit: 1000)
      breaches.list += witness.breaches
      return witness.elements + ["\(witness.terminals)"]
    }
    let (together, alone) = (run(batched: true), run(batched: false))
    breaches.expect(together == alone, "\(together) in batches, \(alone) one by one")
    return breaches.list
  }
}

/// The findings, in sentences.
struct Breaches {
  var list: [String]

  init(_ list: [String] = []) {
    self.list = list
  }

  mutating func expect(_ condition: Bool, _ otherwise: @autoclosure () -> String) {
    if !condition { list.append(otherwise()) }
  }
}
