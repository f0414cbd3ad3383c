import Synchronization

/// A scheduler with a thread of its own: runs work one piece after another, with timers on the monotonic clock.
///
/// ```
/// let lane = SerialScheduler(name: "lane")
/// let ticking = Observable.interval(.seconds(1), on: lane).subscribe(next: { print($0) })
/// ```
/// The thread ends with `stop()`, or when the scheduler is released; work that still waits is discarded. Streams that
/// are delivered on it, their timers and work that waits hold it.
public final class SerialScheduler: Scheduler {
  private let loop: Loop
  private let life = Subscription()

  /// Starts the thread, named for what `ps -L` and debuggers show of it (15 characters at most).
  public init(name: String = "reactive", speed: Speed = .real) {
    loop = Loop(speed: speed)
    loop.start(name: name)
  }

  deinit {
    loop.stop()
  }

  /// The present time.
  public var now: Instant { loop.speed.now }

  /// Whether the calling thread is its own.
  public var isCurrent: Bool { loop.isCurrent }

  /// Ends when it is stopped, or released.
  public var lifetime: Subscription? { life }

  /// Runs work as soon as it can.
  public func perform(_ work: @escaping @Sendable () -> Void) {
    loop.perform(work)
  }

  /// Runs work at a time; nothing, if the result is disposed before.
  public func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription {
    let timer = Subscription()
    if deadline == .distantFuture { return timer }
    let once: @Sendable () -> Void = {
      guard timer.close() else { return }
      work()
      timer.release()
    }
    guard let key = loop.insert(at: deadline, once) else { return timer }
    timer.onDispose { [weak loop] in loop?.cancel(key) }
    return timer
  }

  /// Ends the thread after the piece of work it is at; nothing else runs, and what is sent to it is discarded.
  public func stop() {
    loop.stop()
    life.dispose()
  }
}

/// The thread's side: it outlives the scheduler object by the piece of work it is at.
private final class Loop: Sendable {
  fileprivate struct State: Sendable {
    var ready: [@Sendable () -> Void] = []
    var timers = TimerQueue<@Sendable () -> Void>()
    var asleep = false
    var stopped = false
  }

  let speed: Speed
  private let state = Locked(State())
  private let bell = Bell()
  private let thread = Atomic<UInt>(0)
  /// Set by `stop`, for the thread to see between two pieces of work.
  private let isOver = Atomic<Bool>(false)

  init(speed: Speed) { self.speed = speed }

  var isCurrent: Bool { thread.load(ordering: .relaxed) == Platform.thread }

  func start(name: String) {
    let hasThread = startThread(named: name) { [self] in run() }
    precondition(hasThread, "cannot start a thread: the system has none to give")
  }

  func perform(_ work: @escaping @Sendable () -> Void) {
    let wake = state.withLock { state in
      if state.stopped { return false }
      state.ready.append(work)
      return state.wakes()
    }
    if wake { bell.ring() }
  }

  func insert(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Int? {
    let (key, wake) = state.withLock { state -> (Int?, Bool) in
      if state.stopped { return (nil, false) }
      let earlier = state.timers.earliest.map { deadline < $0 } ?? true
      return (state.timers.insert(at: deadline, work), earlier && state.wakes())
    }
    if wake { bell.ring() }
    return key
  }

  func cancel(_ key: Int) {
    let dropped = state.withLock { $0.timers.remove(key) }
    _ = dropped  // released outside the lock
  }

  func stop() {
    isOver.store(true, ordering: .releasing)
    let dropped = state.withLock { state in
      let old = state
      state = State(stopped: true)
      return old
    }
    if dropped.asleep { bell.ring() }
  }

  private func run() {
    thread.store(Platform.thread, ordering: .relaxed)
    defer { thread.store(0, ordering: .relaxed) }  // a later thread may have the same number
    var work: [@Sendable () -> Void] = []
    while true {
      work.removeAll(keepingCapacity: true)
      switch state.withLock({ $0.nextAction(&work, now: speed.now) }) {
      case .work: for piece in work where !isOver.load(ordering: .acquiring) { piece() }
      case .sleep(until: let deadline?): bell.wait(until: speed.machineTime(of: deadline))
      case .sleep(until: nil): bell.wait()
      case .stop: return
      }
    }
  }

  fileprivate enum Action {
    case work
    case sleep(until: Instant?)
    case stop
  }
}

extension Loop.State {
  /// Whether the thread must be woken, which the caller then does.
  fileprivate mutating func wakes() -> Bool {
    defer { asleep = false }
    return asleep
  }

  /// The next action of the thread; timers that are due go behind the work that was there before them.
  fileprivate mutating func nextAction(_ work: inout [@Sendable () -> Void], now: Instant) -> Loop.Action {
    if stopped { return .stop }
    swap(&ready, &work)
    while let timer = timers.popFirst(dueBy: now) { work.append(timer.work) }
    if !work.isEmpty { return .work }
    asleep = true
    return .sleep(until: timers.earliest)
  }
}
