import Synchronization

/// The main actor as a scheduler: `observe(on: .main)`.
///
/// ```
/// let showing = prices.observe(on: .main).subscribe(next: { price in MainActor.assumeIsolated { label.text = price } })
/// let same = prices.subscribe(onMain: { price in label.text = price })
/// ```
/// Work comes in the order in which it was sent, and never inside the call that sends it. A program must let the main actor
/// run: an asynchronous `main` does. In a test, all that was sent there before has come when
/// `try await Observable.just(()).observe(on: .main).value` returns.
public final class MainScheduler: Scheduler {
  private struct Line: Sendable {
    var work: [@Sendable () -> Void] = []
    var isScheduled = false

    mutating func takeAll() -> [@Sendable () -> Void] {
      defer { work = [] }
      return work
    }
  }

  static let shared = MainScheduler()

  private let line = Locked(Line())
  /// The thread on which the main actor does this scheduler's work now.
  private let thread = Atomic<UInt>(0)

  private init() {}

  /// The present time.
  public var now: Instant { MonotonicClock.now }

  /// Whether the calling thread is its own.
  public var isCurrent: Bool { thread.load(ordering: .relaxed) == Platform.thread || Platform.isMainThread }

  /// Runs work as soon as it can.
  public func perform(_ work: @escaping @Sendable () -> Void) {
    let isFirst = line.withLock { line in
      line.work.append(work)
      defer { line.isScheduled = true }
      return !line.isScheduled
    }
    if isFirst { schedule() }
  }

  /// Runs work at a time; nothing, if the result is disposed before.
  public func schedule(at deadline: Instant, _ work: @escaping @Sendable () -> Void) -> Subscription {
    let timer = Subscription()
    if deadline == .distantFuture { return timer }
    let task = Task { [self] in
      try await Task.sleep(for: max(.zero, deadline - now), clock: SuspendingClock())
      perform {
        guard timer.close() else { return }
        work()
        timer.release()
      }
    }
    timer.onDispose { task.cancel() }
    return timer
  }

  private func schedule() {
    Task { @MainActor in run() }
  }

  /// Does what waits now; what comes meanwhile is a turn of its own, so that the main actor gets to its other work.
  @MainActor private func run() {
    thread.store(Platform.thread, ordering: .relaxed)
    for piece in line.withLock({ $0.takeAll() }) { piece() }
    thread.store(0, ordering: .relaxed)
    let again = line.withLock { line in
      line.isScheduled = !line.work.isEmpty
      return line.isScheduled
    }
    if again { schedule() }
  }
}

extension Scheduler where Self == MainScheduler {
  /// The main actor.
  public static var main: MainScheduler { .shared }
}

extension Observable {
  /// Starts the stream and hands what comes to closures on the main actor: `observe(on: .main)` for closures that use what
  /// belongs to it.
  ///
  /// ```
  /// prices.subscribe(onMain: { label.text = $0 }, fail: { label.text = "\\($0)" }).disposed(by: bag)
  /// ```
  /// Nothing is delivered after `dispose()` on the main actor.
  public func subscribe(
    onMain next: @escaping @MainActor @Sendable (Element) -> Void,
    fail: (@MainActor @Sendable (any Error) -> Void)? = nil,
    complete: @escaping @MainActor @Sendable () -> Void = {}
  ) -> Subscription {
    var onFail: (@Sendable (any Error) -> Void)?
    if let fail { onFail = { error in MainActor.assumeIsolated { fail(error) } } }
    return observe(on: MainScheduler.shared).subscribe(
      next: { value in MainActor.assumeIsolated { next(value) } }, fail: onFail,
      complete: { MainActor.assumeIsolated { complete() } })
  }
}
