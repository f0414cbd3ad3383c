import Reactive
import Synchronization

/// The observer of the kit: notes what it gets and each breach of the grammar.
package final class Witness: Observer {
  private struct Notes: Sendable {
    var elements: [String] = []
    var terminals = 0
    var failures: [any Error] = []
    var breaches: [String] = []
  }

  package let subscription: Subscription
  private let notes = Locked(Notes())
  private let inside = Atomic<Int>(0)
  private let onNext: @Sendable (Witness, String) -> Void

  /// Calls `onNext` while it takes an element, which may dispose, feed the source again or call other threads.
  package init(
    _ subscription: Subscription = Subscription(),
    onNext: @escaping @Sendable (Witness, String) -> Void = { _, _ in }
  ) {
    self.subscription = subscription
    self.onNext = onNext
  }

  package var elements: [String] { notes.withLock { $0.elements } }
  package var terminals: Int { notes.withLock { $0.terminals } }
  package var failures: [any Error] { notes.withLock { $0.failures } }
  package var breaches: [String] { notes.withLock { $0.breaches } }

  /// Attaches directly, so that nothing stands between the operator and this witness.
  package func watch(_ source: Observable<String>) {
    source.attach(self, in: subscription)
  }

  package func next(_ value: String) {
    call("next") {
      notes.withLock { $0.elements.append(value) }
      onNext(self, value)
    }
  }

  package func fail(_ error: any Error) {
    call("fail") {
      notes.withLock {
        $0.terminals += 1
        $0.failures.append(error)
      }
    }
    subscription.dispose()
  }

  package func complete() {
    call("complete") { notes.withLock { $0.terminals += 1 } }
    subscription.dispose()
  }

  private func call(_ name: String, _ body: () -> Void) {
    if inside.add(1, ordering: .acquiringAndReleasing).oldValue != 0 { breach("\(name) inside another call") }
    if terminals > 0 { breach("\(name) after the end") }
    if terminals == 0, subscription.isDisposed { breach("\(name) after dispose") }
    body()
    inside.subtract(1, ordering: .acquiringAndReleasing)
  }

  private func breach(_ what: String) {
    notes.withLock { $0.breaches.append(what) }
  }
}

/// Something whose release can be seen.
package final class Canary: Sendable {
  package init() {}
  package func chirp() {}
}

/// A flag that any thread may raise.
package final class Flag: Sendable {
  private let raised = Atomic<Bool>(false)
  package init() {}
  package var isRaised: Bool { raised.load(ordering: .acquiring) }
  package func raise() { raised.store(true, ordering: .releasing) }
  /// True for the first caller only.
  package func raiseOnce() -> Bool { !raised.exchange(true, ordering: .acquiringAndReleasing) }
}

/// A number that any thread may add to.
package final class Tally: Sendable {
  private let count = Atomic<Int>(0)
  package init() {}
  package var value: Int { count.load(ordering: .acquiring) }
  package func add(_ number: Int = 1) { count.add(number, ordering: .acquiringAndReleasing) }
  /// Counts one, and returns the number of it.
  package func next() -> Int { count.add(1, ordering: .acquiringAndReleasing).newValue }
}
