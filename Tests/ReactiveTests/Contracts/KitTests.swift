import Foundation
import Reactive
import Testing

/// The promises every operator makes, tried on each of them by name.
@Suite struct KitTests {
  @Test func everyOperatorIsInTheKit() throws {
    let folder = URL(filePath: #filePath).appending(path: "../../../../Sources/Reactive/Operators")
      .standardized
    // What a connectable stream and a source's own observer have is tried with `publish` and `create`.
    let parts: Set = [
      "autoconnect", "complete", "connect", "dematerialize", "next", "onDispose", "refCount", "replay",
    ]
    var operators: Set<String> = []
    for file in try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil) {
      let text = try String(contentsOf: file, encoding: .utf8)
      for found in text.matches(of: /\n  public (?:static )?func `?(\w+)/)
      where !parts.contains(String(found.1)) {
        operators.insert(found.1.lowercased())
      }
    }
    let tried = Set(Contract.all.map { $0.name.lowercased() })
    #expect(operators.count > 40)
    for name in operators { #expect(tried.contains { $0.hasPrefix(name) }, "\(name) is not in the kit") }
    for name in tried { #expect(operators.contains { name.hasPrefix($0) }, "\(name) is no operator") }
  }

  @Test(arguments: Contract.all) func keepsTheGrammarOnCompletion(_ contract: Contract) throws {
    try checkGrammar(contract, "a-b(cd)--e-|")
  }

  @Test(arguments: Contract.all) func keepsTheGrammarOnFailure(_ contract: Contract) throws {
    try checkGrammar(contract, "a-b(cd)--e-#")
  }

  @Test(arguments: Contract.all) func keepsTheGrammarWhenTheSourceEndsAtOnce(_ contract: Contract) throws {
    let clock = VirtualScheduler()
    let witness = Witness()
    witness.watch(contract.build(.from(1...3), clock, { $0 }))
    clock.run(limit: 1000)
    #expect(witness.breaches.isEmpty)
    #expect(witness.terminals <= 1)
  }

  @Test(arguments: Contract.all) func deliversNothingAfterDisposeInsideNext(_ contract: Contract) throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b(cd)--e-|", numbers)
    let witness = Witness { witness, _ in witness.subscription.dispose() }
    witness.watch(contract.build(source, clock, { $0 }))
    clock.run(limit: 1000)
    #expect(witness.elements.count <= 1)
    #expect(witness.elements.isEmpty || witness.terminals == 0)
    #expect(contract.staysConnected || source.subscriptions.allSatisfy { $0.contains("!") })
  }

  @Test(arguments: Contract.all) func stopsASourceThatIsStillInsideSubscribe(_ contract: Contract) {
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
    witness.watch(contract.build(source, clock, { $0 }))
    clock.run(limit: 1000)
    #expect(witness.elements.count <= 1)
    if !witness.elements.isEmpty, !contract.staysConnected { #expect(emitted.value == atDispose.value) }
  }

  @Test(arguments: Contract.all) func runsNothingWhenDisposedBeforehand(_ contract: Contract) throws {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-|", numbers)
    let elements = Tally()
    let subscription = Subscription()
    subscription.dispose()
    contract.build(source, clock, { $0 }).subscribe(
      in: subscription, next: { _ in elements.add() })
    clock.run(limit: 1000)
    #expect(elements.value == 0)
    #expect(source.subscriptions.isEmpty)
  }

  @Test(arguments: Contract.all.filter(\.throwing)) func failsOnceWhenAClosureThrows(_ contract: Contract)
    throws
  {
    let clock = VirtualScheduler()
    let source = try clock.hot("a-b-(cd)-e-|", numbers)
    let calls = Tally()
    let witness = Witness()
    witness.watch(
      contract.build(
        source, clock,
        { number in
          calls.add()
          if calls.value >= 2 { throw Oops(number: number) }
          return number
        }))
    clock.run(limit: 1000)
    #expect(witness.failures.count == 1)
    #expect(witness.failures.first is Oops)
    #expect(witness.terminals == 1)
    #expect(witness.breaches.isEmpty)
    #expect(calls.value == 2, "the closure is not called again")
    #expect(source.subscriptions.allSatisfy { $0.contains("!") }, "the source is left")
  }

  @Test(arguments: Contract.all.filter(\.hasSource)) func staysInOrderWhenFedFromInside(_ contract: Contract)
  {
    let clock = VirtualScheduler()
    let subject = PublishSubject<Int>()
    let fed = Tally()
    let witness = Witness { _, _ in
      if fed.value >= 3 { return }
      fed.add()
      subject.next(10 * fed.value)
    }
    witness.watch(contract.build(subject, clock, { $0 }))
    for number in 1...3 { subject.next(number) }
    clock.advance(by: .seconds(10))
    subject.complete()
    clock.run(limit: 1000)
    #expect(witness.breaches.isEmpty)
    #expect(witness.terminals <= 1)
  }

  private func checkGrammar(_ contract: Contract, _ drawing: String) throws {
    let clock = VirtualScheduler()
    let source = try clock.hot(drawing, numbers)
    let witness = Witness()
    witness.watch(contract.build(source, clock, { $0 }))
    clock.run(limit: 1000)
    #expect(witness.breaches.isEmpty)
    if contract.name != "Never" { #expect(witness.terminals == 1) }
    #expect(source.subscriptions.allSatisfy { $0.contains("!") })
  }
}

let numbers: [Character: Int] = ["a": 1, "b": 2, "c": 3, "d": 4, "e": 5]
