extension Observable {
  /// Turns each element into another by an asynchronous closure; the order stays.
  ///
  ///     a-b-c------|
  ///     ---A-B-C---|   map { await $0.uppercased() }, one after another
  ///
  /// At most `concurrent` closures run at once, one unless given, as tasks that the end of the subscription cancels, on the
  /// threads of all tasks or on `scheduler`. A sequence is asked for its next element when a closure has ended; of other
  /// sources further elements wait, and more than `backlog` waiting is a failure. A result that is there before those of
  /// earlier elements waits for them, and keeps its place among the concurrent ones. An error is passed on at once, as in
  /// `flatMap` and RxJava's `concatMapEager`, and cancels the others.
  /// ```
  /// Observable.from(1...3).map(concurrent: 2, on: clock) { await twice($0) }  // 2, 4, 6, |
  /// ```
  public func map<Output: Sendable>(
    concurrent: Int = 1, backlog: Int = 65_536, on scheduler: (any Scheduler)? = nil,
    _ transform: @escaping @Sendable (Element) async throws -> Output
  ) -> Observable<Output> {
    map("map", concurrent, backlog, scheduler, transform)
  }

  /// `map` under the name of the operator that its errors are to have.
  private func map<Output: Sendable>(
    _ name: StaticString, _ concurrent: Int, _ backlog: Int, _ scheduler: (any Scheduler)?,
    _ transform: @escaping @Sendable (Element) async throws -> Output
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      let tasks = OrderedTasks(name, downstream, subscription, concurrent, backlog, scheduler, transform)
      attach(tasks, in: tasks.outer)
    }
  }

  /// Passes on the elements that satisfy an asynchronous condition, in order; limits and errors are those of `map`.
  ///
  /// ```
  /// Observable.from(1...4).filter(on: clock) { await twice($0) > 4 }  // 3, 4, |
  /// ```
  public func filter(
    concurrent: Int = 1, backlog: Int = 65_536, on scheduler: (any Scheduler)? = nil,
    _ isIncluded: @escaping @Sendable (Element) async throws -> Bool
  ) -> Observable {
    map("filter", concurrent, backlog, scheduler) { value -> Element? in
      try await isIncluded(value) ? value : nil
    }.compactMap { $0 }
  }

  /// Lets each element through after an asynchronous closure has had it, in order; limits and errors are those of `map`.
  ///
  /// ```
  /// Observable.from(1...2).do(on: clock, next: { print(await twice($0)) })  // 1, 2, |
  /// ```
  public func `do`(
    concurrent: Int = 1, backlog: Int = 65_536, on scheduler: (any Scheduler)? = nil,
    next: @escaping @Sendable (Element) async throws -> Void
  ) -> Observable {
    map("do", concurrent, backlog, scheduler) { value in
      try await next(value)
      return value
    }
  }

  /// Turns each element into a stream by an asynchronous closure and emits what all of them emit, as it comes.
  ///
  /// At most `concurrent` closures and streams run at once; see `flatMap(limit:)`. The closures run as tasks, on the threads
  /// of all tasks or on `scheduler`.
  /// ```
  /// Observable.from(1...2).flatMap(on: clock) { .just(await twice($0)) }  // 2, 4, |
  /// ```
  public func flatMap<Output: Sendable>(
    concurrent: Int? = nil, backlog: Int = 65_536, on scheduler: (any Scheduler)? = nil,
    _ transform: @escaping @Sendable (Element) async throws -> Observable<Output>
  ) -> Observable<Output> {
    flatMap(limit: concurrent, backlog: backlog) { value in
      Observable<Observable<Output>>.task(on: scheduler) { try await transform(value) }.concatMap { $0 }
    }
  }
}

/// The tasks of `map`, and what waits for them: results go out in the order of the elements.
private final class OrderedTasks<Element: Sendable, Output: Sendable>: Observer {
  private struct State: Sendable {
    var backlog = Queue<Element>()
    /// The results from the oldest element on that has not gone out; nil for a task that runs.
    var results: [Output?] = []
    /// How many results have gone out.
    var sent = 0
    /// The number of them in place of which another closure may run.
    var settled = 0
    var outerOpen = true
    var over = false

    var isIdle: Bool { results.isEmpty && backlog.isEmpty }
  }

  /// The source's part of the subscription, which ends before the tasks do.
  let outer: Subscription
  private let room: Room
  private let name: StaticString
  private let downstream: any Observer<Output>
  private let subscription: Subscription
  private let limit: Int
  private let backlogLimit: Int
  private let scheduler: (any Scheduler)?
  private let transform: @Sendable (Element) async throws -> Output
  private let serializer = Serializer(State())

  init(
    _ name: StaticString, _ downstream: any Observer<Output>, _ subscription: Subscription, _ limit: Int,
    _ backlogLimit: Int, _ scheduler: (any Scheduler)?,
    _ transform: @escaping @Sendable (Element) async throws -> Output
  ) {
    self.name = name
    self.downstream = downstream
    self.subscription = subscription
    self.limit = max(1, limit)
    self.backlogLimit = backlogLimit
    self.scheduler = scheduler
    self.transform = transform
    room = Room(self.limit)
    outer = subscription.child(room: room)
  }

  func next(_ value: Element) {
    room.occupy()
    serializer.pass { [self] in
      if serializer.state.over { return }
      // What waits goes first, also between the end of a closure and the start of the next.
      if serializer.state.results.count < limit, serializer.state.backlog.isEmpty { return start(value) }
      if serializer.state.backlog.count < backlogLimit { return serializer.state.backlog.append(value) }
      end(.failed(ReactiveError.overflow(what: "the backlog of \(name)", limit: backlogLimit)))
    }
    room.serve()
  }

  func fail(_ error: any Error) {
    serializer.pass { [self] in end(.failed(error)) }
    outer.dispose()
  }

  func complete() {
    outer.dispose()
    serializer.pass { [self] in
      serializer.state.outerOpen = false
      if serializer.state.isIdle { end(.completed) }
    }
  }

  private func start(_ value: Element) {
    let number = serializer.state.sent + serializer.state.results.count
    serializer.state.results.append(nil)
    subscription.run(on: scheduler) { [self] task, sender in
      do {
        let output = try await transform(value)
        if task.isDisposed { return }
        await sender.send(through: serializer) { [self] in finish(number, output) }
        if !task.isDisposed { goOn() }
      } catch {
        if !task.isDisposed { serializer.pass { [self] in end(.failed(error)) } }
      }
    }
  }

  private func finish(_ number: Int, _ output: Output) {
    if serializer.state.over || subscription.isDisposed { return }
    serializer.state.results[number - serializer.state.sent] = output
    while let first = serializer.state.results.first, let output = first {
      serializer.state.results.removeFirst()
      serializer.state.sent += 1
      downstream.next(output)
      if subscription.isDisposed { return }
    }
    if !serializer.state.outerOpen, serializer.state.isIdle { end(.completed) }
  }

  /// Starts as many closures as there are results that have gone out, and have found room where they went.
  private func goOn() {
    serializer.pass { [self] in
      if serializer.state.over { return }
      while serializer.state.settled < serializer.state.sent {
        serializer.state.settled += 1
        room.vacate()
      }
      while serializer.state.results.count < limit, let value = serializer.state.backlog.popFirst() {
        start(value)
      }
    }
    room.serve()
  }

  private func end(_ terminal: Termination) {
    if serializer.state.over || subscription.isDisposed { return }
    serializer.state = State(over: true)
    terminal.deliver(to: downstream)
  }
}
