import Glibc
import Synchronization

/// A pool of threads that many serial schedulers share: for work of many owners that blocks, such as requests.
///
/// ```
/// let pool = ThreadPool(threads: 4)
/// let first = pool.makeScheduler()
/// first.perform { print("on one of four threads") }
/// ```
/// The work of one scheduler runs in order, one piece after another, on whichever thread is free. Threads are started when
/// they are needed. They end with `stop()`, or when the pool and its schedulers are released; work that waits then is
/// discarded.
public final class ThreadPool: Sendable {
  private struct State: Sendable {
    var threads: [SerialScheduler] = []
    var idle: [SerialScheduler] = []
    /// The schedulers that have work and no thread, in the order they got it.
    var ready = Queue<PooledScheduler>()
    var isStopped = false
  }

  private let limit: Int
  private let name: String
  private let speed: Speed
  private let state = Locked(State())
  fileprivate let timers: SerialScheduler
  /// Set by `stop`, to be seen between two pieces of work.
  fileprivate let isOver = Atomic<Bool>(false)

  /// A pool of at most so many threads, beside one for timers.
  public init(threads: Int, name: String = "pool", speed: Speed = .real) {
    (limit, self.name, self.speed) = (max(1, threads), name, speed)
    timers = SerialScheduler(name: "\(name)-timers", speed: speed)
  }

  /// A scheduler whose work runs on the threads of the pool.
  public func makeScheduler() -> any Scheduler { PooledScheduler(self) }

  /// Ends the threads after the pieces of work that they are at; nothing else runs.
  public func stop() {
    isOver.store(true, ordering: .releasing)
    let dropped = state.withLock { state in
      let old = state
      state = State(isStopped: true)
      return old
    }
    for thread in dropped.threads { thread.stop() }
    timers.stop()
  }

  /// Gives a scheduler that has work a thread, or a place in the line.
  fileprivate func submit(_ scheduler: PooledScheduler) {
    let free = state.withLock { state -> SerialScheduler? in
      if state.isStopped { return nil }
      if let thread = state.idle.popLast() { return thread }
      if state.threads.count < limit {
        let thread = SerialScheduler(name: "\(name)-\(state.threads.count + 1)", speed: speed)
        state.threads.append(thread)
        return thread
      }
      state.ready.append(scheduler)
      return nil
    }
    if let free { run(scheduler, on: free) }
  }

  private func run(_ scheduler: PooledScheduler, on thread: SerialScheduler) {
    thread.perform { [self] in
      let hasMore = scheduler.runWork()
      let next = state.withLock { state -> PooledScheduler? in
        if state.isStopped { return nil }
        if hasMore { state.ready.append(scheduler) }
        let next = state.ready.popFirst()
        if next == nil { state.idle.append(thread) }
        return next
      }
      if let next { run(next, on: thread) }
    }
  }
}

/// A serial scheduler without a thread of its own.
private final class PooledScheduler: Scheduler {
  private struct State: Sendable {
    var work: [@Sendable () -> Void] = []
    /// Whether it has a thread, or a place in the line.
    var isSubmitted = false
  }

  private let pool: ThreadPool
  private let state = Locked(State())
  private let thread = Atomic<UInt>(0)

  init(_ pool: ThreadPool) { self.pool = pool }

  var now: Instant { pool.timers.now }

  var isCurrent: Bool { thread.load(ordering: .relaxed) == pthread_self() }

  func perform(_ work: @escaping @Sendable () -> Void) {
    let isNew = state.withLock { state in
      state.work.append(work)
      defer { state.isSubmitted = true }
      return !state.isSubmitted
    }
    if isNew { pool.submit(self) }
  }

  func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription {
    let timer = Subscription()
    let waiting = pool.timers.schedule(at: deadline) { [self] in
      perform {
        guard timer.close() else { return }
        work()
        timer.release()
      }
    }
    timer.onDispose { waiting.dispose() }
    return timer
  }

  /// Runs the work that is there; returns whether more has come meanwhile.
  func runWork() -> Bool {
    thread.store(pthread_self(), ordering: .relaxed)
    let work = state.withLock { state in
      let work = state.work
      state.work = []
      return work
    }
    for piece in work where !pool.isOver.load(ordering: .acquiring) { piece() }
    thread.store(0, ordering: .relaxed)
    return state.withLock { state in
      state.isSubmitted = !state.work.isEmpty
      return state.isSubmitted
    }
  }
}
