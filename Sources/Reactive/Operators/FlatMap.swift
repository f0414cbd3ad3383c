extension Observable {
  /// Turns each element into a stream and emits what all of them emit, as it comes.
  ///
  ///     a-b------|
  ///     -1--2|        what a is turned into
  ///       -3--4|      what b is turned into
  ///     -1-32-4--|    flatMap { … }
  ///
  /// At most `limit` streams run at once, 1,024 unless given. A sequence is asked for its next element when one of them has
  /// ended; of other sources further elements wait, and more than `backlog` waiting is a failure. Streams that do not end keep
  /// the others waiting: the first time, for a limit that was not given, is reported to `Diagnostics`.
  /// ```
  /// Observable.from(1...3).flatMap { Observable.from([$0, $0 * 10]) }  // 1, 10, 2, 20, 3, 30, |
  /// ```
  public func flatMap<Output: Sendable>(
    limit: Int? = nil, backlog: Int = 65_536,
    _ transform: @escaping @Sendable (Element) throws -> Observable<Output>
  ) -> Observable<Output> {
    flatMap("flatMap", limit, backlog, transform)
  }

  /// `flatMap` under the name of the operator that its errors are to have.
  fileprivate func flatMap<Output: Sendable>(
    _ name: StaticString, _ limit: Int?, _ backlog: Int,
    _ transform: @escaping @Sendable (Element) throws -> Observable<Output>
  ) -> Observable<Output> {
    Observable<Output> { [self] downstream, subscription in
      let observer = FlatMapObserver(name, downstream, subscription, limit, backlog, transform)
      attach(observer, in: observer.outer)
    }
  }
}

/// Takes turns to start inner streams, so that those that end at once do not pile up on the stack.
private final class FlatMapObserver<Element: Sendable, Output: Sendable>: DrainLoop, Observer, InputOwner,
  @unchecked Sendable
{
  /// Its source's part of the subscription, which ends before the inner streams do.
  let outer: Subscription
  private let name: StaticString
  private let subscription: Subscription
  private let outlet: SerializedOutlet<Output>
  private let limit: Int
  private let backlogLimit: Int
  private let transform: @Sendable (Element) throws -> Observable<Output>
  /// Called for each output, after it has been sent on.
  private let sent: (@Sendable (FlatMapObserver, Output) -> Void)?
  private let room: Room
  private let streams = Locked(InnerStreams())
  /// The elements that wait: under the lock of `streams`, whose own code so knows the type of what it guards.
  @exclusivity(unchecked) private var backlog = RingBuffer<Element>(capacity: 0)

  init(
    _ name: StaticString, _ downstream: any Observer<Output>, _ subscription: Subscription, _ limit: Int?,
    _ backlogLimit: Int, _ transform: @escaping @Sendable (Element) throws -> Observable<Output>,
    sent: (@Sendable (FlatMapObserver, Output) -> Void)? = nil
  ) {
    self.name = name
    self.subscription = subscription
    self.limit = max(1, limit ?? 1024)
    self.sent = sent
    room = Room(self.limit, before: subscription.room, reportedFor: limit == nil ? name : nil)
    self.backlogLimit = backlogLimit
    self.transform = transform
    outlet = SerializedOutlet(downstream)
    outer = subscription.child(room: room)
  }

  func next(_ value: Element) {
    if streams.withLock({ $0.admit(limit) }) { start(value) } else { wait(value) }
  }

  func fail(_ error: any Error) {
    outlet.fail(error)
    outer.dispose()
  }

  func complete() {
    outer.dispose()
    if streams.withLock({ $0.closeOuter() }) { outlet.complete() }
  }

  private func wait(_ value: Element) {
    room.occupy()
    let next = streams.withLock { streams in
      backlog.append(value)
      return streams.queue(backlogLimit, limit)
    }
    switch next {
    case .quiet: room.report()
    case .waiting: startWaiting()
    case .done: fail(ReactiveError.overflow(what: "the backlog of \(name)", limit: backlogLimit))
    }
  }

  /// One that has waited is in the room already; `just`, which is over at once, need not enter it.
  private func start(_ value: Element, hasWaited: Bool = false) {
    let inner: Observable<Output>
    do { inner = try transform(value) } catch { return fail(error) }
    if sent == nil, inner.takeSole({ outlet.next($0) }) {
      if subscription.isDisposed { return }
      return finishInner(leavesRoom: hasWaited)
    }
    if !hasWaited { room.occupy() }
    turn(self, inner) { $1.feed($0, $0.subscription) }
  }

  // The inner streams:
  func take(_ value: Output, at index: Int) { send(value) }
  func fail(_ error: any Error, at index: Int) { fail(error) }
  func close(_ index: Int) { finishInner(leavesRoom: true) }

  fileprivate func send(_ value: Output) {
    outlet.next(value)
    sent?(self, value)
  }

  private func finishInner(leavesRoom: Bool) {
    let next = streams.withLock { $0.closeInner() }
    // After that, so that a source for which there is room finds its place free.
    if leavesRoom { room.vacate() }
    switch next {
    case .quiet: room.serve()
    case .done: outlet.complete()
    case .waiting: startWaiting()
    }
  }

  private func startWaiting() {
    // Inside the serializer: this may be the end of one inner stream out of a long line that all end at once.
    pass { [self] in
      if subscription.isDisposed { return }
      start(streams.withLock { _ in backlog.removeFirst() }, hasWaited: true)
    }
  }
}

/// How many inner streams run and how many elements wait; knows when all is over.
private struct InnerStreams: Sendable {
  enum Next {
    case quiet
    /// An element that waits may start; its place is taken.
    case waiting
    case done
  }

  private var active = 0
  private var waiting = 0
  private var outerOpen = true

  mutating func admit(_ limit: Int) -> Bool {
    if active >= limit { return false }
    active += 1
    return true
  }

  /// Counts one more that waits, unless a place has become free meanwhile or too many wait already.
  mutating func queue(_ backlogLimit: Int, _ limit: Int) -> Next {
    if admit(limit) { return .waiting }
    if waiting >= backlogLimit { return .done }
    waiting += 1
    return .quiet
  }

  /// The place of an inner stream that has ended goes to the element that has waited longest.
  mutating func closeInner() -> Next {
    if waiting > 0 {
      waiting -= 1
      return .waiting
    }
    active -= 1
    return active == 0 && !outerOpen ? .done : .quiet
  }

  mutating func closeOuter() -> Bool {
    outerOpen = false
    return active == 0
  }
}

extension Observable {
  /// Turns each element into a stream and emits them one after another, each starting when the one before is over.
  ///
  ///     a-b------|
  ///     -1--2|        what a is turned into
  ///          -3--4|   what b is turned into
  ///     -1--2-3--4|   concatMap { … }
  ///
  /// Elements that come meanwhile wait, and a sequence pauses; more than `backlog` waiting is a failure.
  /// ```
  /// Observable.from(1...2).concatMap { Observable.from([$0, -$0]) }  // 1, -1, 2, -2, |
  /// ```
  public func concatMap<Output: Sendable>(
    backlog: Int = 65_536, _ transform: @escaping @Sendable (Element) throws -> Observable<Output>
  ) -> Observable<Output> {
    flatMap("concatMap", 1, backlog, transform)
  }
}

extension Observable {
  /// Emits each element, the elements of the stream it is turned into, those of the streams these are turned into, and
  /// so on: pages that name the next one, a tree of folders.
  ///
  ///     a------|
  ///     -b|             what a is turned into
  ///       -c|           what b is turned into
  ///     ab-c---|        expand { … }
  ///
  /// At most `limit` streams run at once; further elements wait, and more than `backlog` waiting is a failure. It takes
  /// no stack, however long the line is.
  /// ```
  /// Observable.just(1).expand { $0 < 8 ? Observable.just($0 * 2) : Observable.empty() }  // 1, 2, 4, 8, |
  /// ```
  public func expand(
    limit: Int? = nil, backlog: Int = 65_536,
    _ transform: @escaping @Sendable (Element) throws -> Observable
  ) -> Observable {
    Observable { [self] downstream, subscription in
      let observer = FlatMapObserver<Element, Element>(
        "expand", downstream, subscription, limit, backlog, transform,
        sent: { observer, value in observer.next(value) }
      )
      attach(ExpandObserver(observer), in: observer.outer)
    }
  }
}

/// The way of the source's own elements, which are emitted before they are turned into streams.
private final class ExpandObserver<Element: Sendable>: Observer {
  private let streams: FlatMapObserver<Element, Element>

  init(_ streams: FlatMapObserver<Element, Element>) {
    self.streams = streams
  }

  func next(_ value: Element) { streams.send(value) }
  func fail(_ error: any Error) { streams.fail(error) }
  func complete() { streams.complete() }
}
