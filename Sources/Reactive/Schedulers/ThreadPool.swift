import Synchronization

/// A pool of threads that many serial schedulers share: for work of many owners that waits now and then.
///
/// ```
/// let pool = ThreadPool(threads: 64)
/// let first = pool.makeScheduler()
/// first.perform { print("on a thread of the pool") }
/// ```
/// The work of one scheduler runs in order, one piece after another, on whichever thread is free. As many threads are
/// started as there are cores, when they are needed; more, up to `threads`, while work waits although the cores are not
/// busy, because what runs is blocked. Those end when they have had nothing to do for ten seconds, the others with
/// `stop()`, or when the pool and its schedulers are released; work that waits then is discarded.
public final class ThreadPool: Sendable {
  fileprivate let crew: Crew
  fileprivate let life = Subscription()

  /// A pool of at most so many threads, beside one for timers.
  public convenience init(threads: Int, name: String = "pool", speed: Speed = .real) {
    self.init(threads: threads, name: name, speed: speed, helpDelay: .milliseconds(10), rest: .seconds(10))
  }

  init(threads: Int, name: String, speed: Speed, helpDelay: Duration, rest: Duration) {
    crew = Crew(limit: max(1, threads), name: name, speed: speed, helpDelay: helpDelay, rest: rest)
  }

  deinit { crew.stop() }

  /// A scheduler whose work runs on the threads of the pool.
  public func makeScheduler() -> any Scheduler { part(threads: .max).makeScheduler() }

  /// A part of the pool, whose schedulers occupy at most so many of its threads at once.
  public func part(threads: Int) -> Part { Part(threads, of: self, in: nil) }

  /// Ends the threads after the pieces of work that they are at; nothing else runs.
  public func stop() {
    crew.stop()
    life.dispose()
  }

  /// A part of a pool of threads: so that the work of one owner leaves threads for that of others.
  public final class Part: Sendable {
    private struct State: Sendable {
      var running = 0
      /// The schedulers that have work, while others of this part occupy all the threads it may have.
      var waiting = Queue<PooledScheduler>()
    }

    fileprivate let pool: ThreadPool
    private let outer: Part?
    private let limit: Int
    private let state = Locked(State())

    fileprivate init(_ limit: Int, of pool: ThreadPool, in outer: Part?) {
      (self.limit, self.pool, self.outer) = (max(1, limit), pool, outer)
    }

    /// A scheduler whose work runs on the threads of this part.
    public func makeScheduler() -> any Scheduler { PooledScheduler(self) }

    /// A part of this part.
    public func part(threads: Int) -> Part { Part(threads, of: pool, in: self) }

    /// Gets a scheduler that has work a thread, or a place in the line.
    fileprivate func enter(_ scheduler: PooledScheduler) {
      let isAdmitted = state.withLock { state in
        if state.running < limit {
          state.running += 1
          return true
        }
        state.waiting.append(scheduler)
        return false
      }
      if isAdmitted { admit(scheduler) }
    }

    /// Makes room for the next one, after a scheduler has had its turn.
    fileprivate func leave() {
      outer?.leave()
      let next = state.withLock { state -> PooledScheduler? in
        let next = state.waiting.popFirst()
        if next == nil { state.running -= 1 }
        return next
      }
      if let next { admit(next) }
    }

    private func admit(_ scheduler: PooledScheduler) {
      if let outer { outer.enter(scheduler) } else { pool.crew.submit(scheduler) }
    }
  }
}

/// The threads' side of a pool: it outlives the pool by the pieces of work that they are at.
private final class Crew: Sendable {
  fileprivate final class Thread: Sendable {
    let bell = Bell()
    /// Whether it ends when it has nothing to do.
    let isExtra: Bool
    /// Where the system shows it, once it runs.
    let path = Locked<String?>(nil)

    init(isExtra: Bool) { self.isExtra = isExtra }
  }

  fileprivate struct State: Sendable {
    var threads: [Thread] = []
    var idle: [Thread] = []
    /// The schedulers that have work and no thread, in the order they got it.
    var ready = Queue<PooledScheduler>()
    /// How many schedulers have been taken from the line.
    var taken = 0
    /// How many will have been taken when all are that waited at the last look at the line; nil while none is watched.
    var target: Int?
    var isStopped = false
  }

  /// How long work may wait before another thread is started for it.
  private let helpDelay: Duration
  /// How long a thread beyond one for each core lives without work.
  private let rest: Duration

  private let limit: Int
  private let cores: Int
  private let name: String
  private let state = Locked(State())
  let timers: SerialScheduler
  let speed: Speed
  /// Set by `stop`, to be seen between two pieces of work.
  let isOver = Atomic<Bool>(false)

  init(limit: Int, name: String, speed: Speed, helpDelay: Duration, rest: Duration) {
    (self.limit, self.name, self.speed) = (limit, name, speed)
    (self.helpDelay, self.rest) = (helpDelay, rest)
    cores = min(limit, Platform.cores)
    timers = SerialScheduler(name: "\(name)-timers", speed: speed)
  }

  func stop() {
    isOver.store(true, ordering: .releasing)
    let dropped = state.withLock { state in
      let old = state
      state = State(isStopped: true)
      return old
    }
    for thread in dropped.threads { thread.bell.ring() }
    timers.stop()
  }

  /// Gives a scheduler that has work a thread, or a place in the line.
  func submit(_ scheduler: PooledScheduler) {
    enum Next {
      case wake(Thread)
      case start(Thread)
      case watch
      case nothing
    }
    let next = state.withLock { state -> Next in
      if state.isStopped { return .nothing }
      state.ready.append(scheduler)
      if let thread = state.idle.popLast() { return .wake(thread) }
      if state.threads.count < cores { return .start(state.addThread(isExtra: false)) }
      if state.target != nil || state.threads.count == limit { return .nothing }
      state.target = state.taken + state.ready.count
      return .watch
    }
    switch next {
    case .wake(let thread): thread.bell.ring()
    case .start(let thread): start(thread)
    case .watch: watch()
    case .nothing: return
    }
  }

  private func watch() {
    _ = timers.schedule(after: speed.shown(for: helpDelay)) { [weak self] in self?.help() }
  }

  /// Starts another thread, if what waited at the last look still waits, because threads are blocked.
  private func help() {
    let (late, isWatched) = state.withLock { state -> ([Thread], Bool) in
      guard let target = state.target, !state.ready.isEmpty, state.threads.count < limit else {
        state.target = nil
        return ([], false)
      }
      state.target = state.taken + state.ready.count
      return (state.taken < target ? state.threads : [], true)
    }
    if !late.isEmpty, late.count(where: \.isRunnable) < cores {
      let thread = state.withLock { $0.isStopped ? nil : $0.addThread(isExtra: true) }
      if let thread { start(thread) }
    }
    if isWatched { watch() }
  }

  private func start(_ thread: Thread) {
    let isStarted = startThread(named: name) { [self] in run(thread) }
    if isStarted { return }
    let left = state.withLock { state in
      state.threads.removeAll { $0 === thread }
      return state.threads.count
    }
    precondition(left > 0, "cannot start a thread: the system has none to give")
  }

  private func run(_ thread: Thread) {
    thread.path.withLock { $0 = Platform.threadPath }
    while true {
      let (next, isOver) = state.withLock { state -> (PooledScheduler?, Bool) in
        if state.isStopped { return (nil, true) }
        let next = state.ready.popFirst()
        if next == nil { state.idle.append(thread) } else { state.taken += 1 }
        return (next, false)
      }
      if isOver { return }
      if let next {
        next.takeTurn()
      } else if !thread.bell.wait(until: thread.isExtra ? MonotonicClock.now + rest : nil) {
        if state.withLock({ $0.leave(thread) }) { return }
        // Work was found for it at the same moment: the ring belongs to that, not to the next time it is idle.
        thread.bell.wait()
      }
    }
  }
}

extension Crew.Thread {
  fileprivate var isRunnable: Bool { path.withLock { $0 }.map(Platform.isRunnable) ?? true }
}

extension Crew.State {
  fileprivate mutating func addThread(isExtra: Bool) -> Crew.Thread {
    let thread = Crew.Thread(isExtra: isExtra)
    threads.append(thread)
    return thread
  }

  /// Removes a thread that has had nothing to do; false where work has been found for it meanwhile.
  fileprivate mutating func leave(_ thread: Crew.Thread) -> Bool {
    guard let index = idle.firstIndex(where: { $0 === thread }) else { return false }
    idle.remove(at: index)
    threads.removeAll { $0 === thread }
    return true
  }
}

/// A serial scheduler without a thread of its own.
private final class PooledScheduler: Scheduler {
  private struct State: Sendable {
    var work: [@Sendable () -> Void] = []
    /// Whether it has a thread, or a place in the line.
    var isSubmitted = false
  }

  private let part: ThreadPool.Part
  private let state = Locked(State())
  private let thread = Atomic<UInt>(0)

  init(_ part: ThreadPool.Part) { self.part = part }

  private var crew: Crew { part.pool.crew }

  var now: Instant { crew.speed.now }

  var isCurrent: Bool { thread.load(ordering: .relaxed) == Platform.thread }

  var lifetime: Subscription? { part.pool.life }

  func perform(_ work: @escaping @Sendable () -> Void) {
    let isNew = state.withLock { state in
      state.work.append(work)
      defer { state.isSubmitted = true }
      return !state.isSubmitted
    }
    if isNew { part.enter(self) }
  }

  func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription {
    let timer = Subscription()
    if deadline == .distantFuture { return timer }
    let waiting = crew.timers.schedule(at: deadline) { [self] in
      perform {
        guard timer.close() else { return }
        work()
        timer.release()
      }
    }
    timer.onDispose { waiting.dispose() }
    return timer
  }

  /// Runs the work that waits, and gets in line again if more has come meanwhile.
  func takeTurn() {
    thread.store(Platform.thread, ordering: .relaxed)
    var work: [@Sendable () -> Void] = []
    state.withLock { swap(&$0.work, &work) }
    for piece in work where !crew.isOver.load(ordering: .acquiring) { piece() }
    work.removeAll(keepingCapacity: true)
    thread.store(0, ordering: .relaxed)
    let hasMore = state.withLock { state in
      state.isSubmitted = !state.work.isEmpty
      if !state.isSubmitted { swap(&state.work, &work) }
      return state.isSubmitted
    }
    part.leave()
    if hasMore { part.enter(self) }
  }
}
