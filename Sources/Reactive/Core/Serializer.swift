import Synchronization

/// A drain-loop serializer: one caller at a time, without a lock; a caller that finds it taken leaves its work there.
///
/// Several threads, timers and re-entrant calls meet in an operator; the grammar wants their calls downstream one
/// after another. A lock held while calling out would do that, and is how reactive libraries come to deadlock. Here no
/// lock is held while calling out, and a call that comes from inside a call is carried out after it, in order.
///
/// ```
/// serializer.turn(self, value) { $0.accept($1) }  // may use serializer.state, may call downstream
/// ```
/// `serializer.pass { [self] in accept(value) }` is the same at the price of an allocation, for what is not done often.
///
/// What waits is bounded: a thread that leaves work while `limit` pieces already wait stays until there is room, as
/// long as there is any progress. The thread inside cannot wait for itself, so what it leaves is not held up.
///
/// A class of no particular type, so that making one looks up none; `Serializer` has a state besides.
///
/// `@unchecked Sendable` with its reason: all that it has are atomics and a lock, but a base class cannot say so.
class DrainLoop: @unchecked Sendable {
  /// Zero when free; otherwise one for the caller that entered, and one for each piece of work that waits.
  private let load = Atomic<Int>(0)
  private let owner = Atomic<UInt>(0)
  /// Nothing has moved for a while, so there is no point in waiting for room until something does.
  private let stalled = Atomic<Bool>(false)
  private let waiting = Locked<[@Sendable () -> Void]>([])
  private let limit: Int

  init(limit: Int = 1024) {
    self.limit = limit
  }

  /// Carries `work` out now, or leaves it to the caller inside.
  final func pass(_ work: @escaping @Sendable () -> Void) {
    guard enter() else { return later(work) }
    work()
    leave()
  }

  /// Carries `work` out with `owner` and `value` now, or leaves it to the caller inside: allocates only then, since `work`,
  /// which captures nothing, becomes part of its caller.
  @inline(__always)
  final func turn<Owner: AnyObject & Sendable, Value: Sendable>(
    _ owner: Owner, _ value: Value, _ work: @escaping @Sendable (Owner, Value) -> Void
  ) {
    guard enter() else { return later { work(owner, value) } }
    work(owner, value)
    leave()
  }

  /// Whether the calling thread is the one inside.
  final var isMine: Bool {
    load.load(ordering: .relaxed) != 0 && owner.load(ordering: .relaxed) == Platform.thread
  }

  /// Takes the serializer if it is free.
  @inline(__always)
  final func enter() -> Bool {
    guard load.compareExchange(expected: 0, desired: 1, ordering: .acquiring).exchanged else { return false }
    owner.store(Platform.thread, ordering: .relaxed)
    return true
  }

  /// Gives it back, after doing what others left meanwhile.
  @inline(__always)
  final func leave() {
    if load.subtract(1, ordering: .acquiringAndReleasing).newValue != 0 { drain() }
  }

  /// Leaves `work` to the caller inside; does it here if that one has left in the meantime.
  @inline(never)
  final func later(_ work: @escaping @Sendable () -> Void) {
    drainOrWait(from: lineUp(work))
  }

  /// Leaves `work` in the line: the first half of `later`, for a caller who holds a lock of its own meanwhile, and owes
  /// `drainOrWait` without it.
  final func lineUp(_ work: @escaping @Sendable () -> Void) -> LinePlace {
    waiting.withLock { waiting in
      waiting.append(work)
      // Under the lock, so that a drain never takes more pieces than have been counted.
      let load = self.load.add(1, ordering: .acquiringAndReleasing).oldValue
      return LinePlace(isFirst: load == 0, count: waiting.count)
    }
  }

  /// Carries `work` out now, or leaves it to the caller inside, without ever doing what others leave meanwhile: while they
  /// keep sending that has no end, and a caller who only wants to leave would not come back.
  ///
  /// The line is locked meanwhile, so `work` must be short and call no other code; what it returns is released afterwards.
  final func slipIn(_ work: @escaping @Sendable () -> (any AnyObject & Sendable)?) {
    let dropped: (any AnyObject & Sendable)? = waiting.withLock { waiting in
      while true {
        if enter() {
          defer { load.subtract(1, ordering: .acquiringAndReleasing) }
          return work()
        }
        // Only while another thread is inside, which then finds it.
        let count = load.load(ordering: .relaxed)
        if count > 0,
          load.compareExchange(expected: count, desired: count + 1, ordering: .acquiringAndReleasing)
            .exchanged
        {
          waiting.append { _ = work() }
          return nil
        }
      }
    }
    _ = dropped
  }

  /// Does what waits if that has fallen to this caller, or waits for room.
  final func drainOrWait(from place: LinePlace) {
    if place.isFirst { return drain() }
    if place.count > limit, !isMine { waitForRoom() }
  }

  private final func drain() {
    owner.store(Platform.thread, ordering: .relaxed)
    var work: [@Sendable () -> Void] = []
    repeat {
      work.removeAll(keepingCapacity: true)
      waiting.withLock { swap(&$0, &work) }
      stalled.store(false, ordering: .relaxed)
      for piece in work { piece() }
    } while load.subtract(work.count, ordering: .acquiringAndReleasing).newValue != 0
  }

  /// The rare case of a producer far ahead of a slow consumer: asleep in short naps, so that the way through the
  /// serializer needs no bookkeeping of sleepers.
  ///
  /// If nothing moves for a while, the one inside may be waiting for this very thread: then the work stays where it
  /// is, over the limit, and the thread goes on.
  private final func waitForRoom() {
    var least = Int.max
    var napsWithoutProgress = 0
    while load.load(ordering: .relaxed) != 0, !stalled.load(ordering: .relaxed) {
      let count = waiting.withLock { $0.count }
      if count <= limit { return }
      napsWithoutProgress = count < least ? 0 : napsWithoutProgress + 1
      if napsWithoutProgress > 200 { stalled.store(true, ordering: .relaxed) }
      least = min(least, count)
      Platform.nap(nanoseconds: 50_000)
    }
  }
}

/// A serializer with the state that the callers guard by taking turns.
final class Serializer<State: Sendable>: DrainLoop, @unchecked Sendable {
  /// Apart from the object, as that of an `Unguarded` is.
  private nonisolated(unsafe) let kept: UnsafeMutablePointer<State>

  init(_ state: consuming State, limit: Int = 1024) {
    kept = .allocate(capacity: 1)
    kept.initialize(to: state)
    super.init(limit: limit)
  }

  deinit {
    kept.deinitialize(count: 1)
    kept.deallocate()
  }

  /// The state: only for the caller inside.
  var state: State {
    @inline(__always) unsafeAddress { UnsafePointer(kept) }
    @inline(__always) unsafeMutableAddress { kept }
  }
}

/// The place of a piece of work in the line before a serializer.
struct LinePlace {
  /// Whether no caller was inside any more: the one who lined up is.
  let isFirst: Bool
  let count: Int
}
