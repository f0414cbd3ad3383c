#if DEBUG
  import Reactive
  import Synchronization

  /// The lane of a `LaneLocal`, which a debug build finds out and holds it to: that of the first turn that uses it.
  ///
  /// Outside turns it may be used while its lane rests, as when a pipeline is assembled and when it ends.
  final class LaneOwner: Sendable {
    @TaskLocal private static var current = 0
    private static let latest = Atomic<Int>(0)
    /// The lanes with a turn at the moment.
    private static let busy = Locked<Set<Int>>([])

    private let lane = Atomic<Int>(0)

    /// A number for a lane, never used twice.
    static func makeLane() -> Int { latest.add(1, ordering: .relaxed).newValue }

    /// Runs `body` in a turn of a lane, or on a thread that the turn waits for.
    static func turn(of lane: Int, _ body: () -> Void) {
      let isFirst = busy.withLock { $0.insert(lane).inserted }
      $current.withValue(lane, operation: body)
      if isFirst { _ = busy.withLock { $0.remove(lane) } }
    }

    /// Whether the calling thread may use what belongs to the lane.
    var isHere: Bool {
      let current = Self.current
      let lane = lane.load(ordering: .relaxed)
      if lane == current { return true }
      if current == 0 { return !Self.busy.withLock { $0.contains(lane) } }
      return self.lane.compareExchange(expected: 0, desired: current, ordering: .relaxed).exchanged
    }

    func check() { precondition(isHere, "a LaneLocal is used outside of its lane") }
  }
#endif
