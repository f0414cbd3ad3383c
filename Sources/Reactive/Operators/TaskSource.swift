extension Observable {
  /// Emits what an asynchronous closure returns and completes; fails with what it throws.
  ///
  ///     ---(a|)   task { try await fetch() }
  ///
  /// Each subscription runs the closure anew, as a task that the end of the subscription cancels. It runs on the threads of
  /// all tasks, or on `scheduler`, which its element then comes from: on a `VirtualScheduler`, `advance` runs it as far as
  /// it gets without waiting.
  /// ```
  /// Observable.task(on: clock) { 6 * 7 }  // 42, |
  /// ```
  public static func task(
    on scheduler: (any Scheduler)? = nil, _ work: @escaping @Sendable () async throws -> Element
  ) -> Observable {
    Observable(on: scheduler) { observer, subscription, sender in
      let value = try await work()
      if subscription.isDisposed { return }
      observer.next(value)
      await sender.settle()
    }
  }

  /// Emits the elements of an asynchronous sequence, in a task that the end of the subscription cancels.
  ///
  ///     -a--b--|   from(sequence)
  ///
  /// The next element is asked for when the one before has been taken: a chain that waits slows the sequence down, while the
  /// task is suspended. Each subscription iterates anew; a sequence such as `AsyncStream`, which gives each element once,
  /// divides them among them.
  /// ```
  /// Observable.from(Observable.from(["a", "b"]).values(), on: clock)  // a, b, |
  /// ```
  public static func from<Elements: AsyncSequence & Sendable>(
    _ elements: Elements, on scheduler: (any Scheduler)? = nil
  ) -> Observable where Elements.Element == Element {
    Observable(elements, on: scheduler)
  }

  /// Emits the elements of an asynchronous sequence, in a task: `from(_:on:)`.
  public convenience init<Elements: AsyncSequence & Sendable>(
    _ elements: Elements, on scheduler: (any Scheduler)? = nil
  ) where Elements.Element == Element {
    self.init(on: scheduler) { observer, subscription, sender in
      for try await element in elements {
        if subscription.isDisposed { return }
        observer.next(element)
        await sender.settle()
        while let room = subscription.room, room.isFull, !subscription.isDisposed {
          await sender.pause { if !room.wait($0) { $0.goOn() } }
        }
        if subscription.isDisposed { return }
      }
    }
  }

  /// Runs `body` as a task; the stream completes when it returns, and fails when it throws.
  private convenience init(
    on scheduler: (any Scheduler)?,
    _ body: @escaping @Sendable (any Observer<Element>, Subscription, Sender) async throws -> Void
  ) {
    self.init { observer, subscription in
      subscription.run(on: scheduler) { subscription, sender in
        do {
          try await body(observer, subscription, sender)
          if !subscription.isDisposed { observer.complete() }
        } catch {
          if !subscription.isDisposed { observer.fail(error) }
        }
      }
    }
  }
}
