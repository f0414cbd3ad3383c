extension Observable {
  /// Cuts the stream into streams of `count` elements.
  ///
  ///     a--b--c--|
  ///     x-----y--|   window(2)   x emits a and b, y emits c
  /// ```
  /// Observable.from(1...3).window(2).concatMap { $0.reduce(0) { $0 + $1 } }  // 3, 3, |
  /// ```
  public func window(_ count: Int) -> Observable<Observable> {
    Observable<Observable> { [self] downstream, subscription in
      attach(WindowObserver(downstream, subscription, count, nil, nil), in: subscription.withoutRoom)
    }
  }

  /// Cuts the stream into streams: each ends when it has had `count` elements, or `time` after its first.
  ///
  /// A window is open from its first element. Its elements are not kept: subscribe to it when it comes. A window that
  /// is open when the subscription ends completes.
  /// ```
  /// Observable.from(1...3).window(9, or: .seconds(1), on: clock).concatMap { $0.takeLast(1) }  // 3, |
  /// ```
  public func window(_ count: Int, or time: Duration, on scheduler: any Scheduler) -> Observable<Observable> {
    Observable<Observable> { [self] downstream, subscription in
      let alarm = Alarm(on: scheduler, in: subscription)
      attach(WindowObserver(downstream, subscription, count, time, alarm), in: subscription.withoutRoom)
    }
  }
}

private final class WindowObserver<Element: Sendable>: HoldingStage, AlarmOwner {
  struct State: Sendable {
    var window: PublishSubject<Element>?
    var count = 0
  }

  let downstream: any Observer<Observable<Element>>
  let subscription: Subscription
  private let count: Int
  private let time: Duration?
  private let alarm: Alarm?
  let serializer = Serializer(State())

  init(
    _ downstream: any Observer<Observable<Element>>, _ subscription: Subscription, _ count: Int,
    _ time: Duration?, _ alarm: Alarm?
  ) {
    self.downstream = downstream
    self.subscription = subscription
    self.count = max(1, count)
    self.time = time
    self.alarm = alarm
    subscription.onDispose { [weak self] in
      if let self { serializer.pass { [self] in close(.completed) } }
    }
  }

  /// The source has been released without an end: nothing can come any more.
  deinit {
    close(.completed)
  }

  func ring() {
    serializer.pass { [self] in close(.completed) }
  }

  func accept(_ value: Element) {
    // What is opened now would be closed by nothing.
    if subscription.isDisposed { return }
    let window = serializer.state.window ?? open()
    serializer.state.count += 1
    window.next(value)
    if serializer.state.count >= count { close(.completed) }
  }

  private func open() -> PublishSubject<Element> {
    let window = PublishSubject<Element>()
    serializer.state = State(window: window)
    if let alarm, let time { alarm.set(at: alarm.now + time, for: self) }
    downstream.next(window.observable)
    return window
  }

  func close(_ termination: Termination) {
    guard let window = serializer.state.window else { return }
    alarm?.clear()
    serializer.state = State()
    termination.deliver(to: window)
  }
}
