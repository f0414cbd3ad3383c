import Language
import System
import Reactive
import Synchronization

/// A part of a pipeline that has work at the end of each turn: a sink, or a partition.
protocol LanePart: AnyObject {
  func endTurn()
  /// The lane has ended: nothing wakes the part any more.
  func end()
}

/// The lane of a pipeline: the serial scheduler on which all of its steps and sinks run, one turn after the other.
///
/// A turn is one batch of a source, or one timer. At its end everything is at rest, and the sinks write.
public final class Lane: Sendable {
  /// The kind of a turn, which decides when its epoch ends.
  enum Turn {
    /// An epoch of its own: a poll, a timer, the end of a stream.
    case single
    /// One of many batches of a source that never rests.
    case streamed
    /// The same, of a source that can be read again from its position.
    case repeatable
    /// A sink receives the results of its outputs.
    case settling
  }

  /// How a sink waits for work outside the process.
  public enum Waiting: Sendable {
    /// The work ends in a later turn.
    case acrossTurns
    /// The work ends within the turn, because virtual time does not pass meanwhile.
    case withinTurn
  }

  public let scheduler: any Scheduler
  public let world: World
  public let waiting: Waiting
  /// The lane of the pipeline, of a lane that a task of a partition has.
  private let main: Lane?
  private let state: LaneLocal<State>
  /// Whether the pipeline may have turns: not while it is put together, by another thread.
  private let wholeness = Atomic<Bool>(true)
  #if DEBUG
    /// The number that its `LaneLocal`s know it by; tasks have that of the pipeline's lane.
    private let identity: Int
  #endif

  private struct State {
    var checkpointer: Checkpointer?
    /// How far the lane's clock is ahead of the scheduler's.
    var offset = Duration.zero
    var number = 0
    var now = 0.0
    var instant = Instant()
    var depth = 0
    var isTimed = false
    var nestedTime = 0
    /// In the order of the way of an event, so that all that a partition sends on at the end of a turn has reached the
    /// partitions below it before their end of the turn, and the sinks before theirs.
    var parts: [any LanePart] = []
    /// The task that this lane belongs to, until it ends.
    var task: PartitionTask?
    var starters: [@Sendable () -> Void] = []
    var onFailure: (@Sendable (any Error) -> Void)?
    var onLoss: (@Sendable () -> Void)?
    var hasEnded = false
    var retained: [ObjectIdentifier: AnyObject] = [:]
    /// The acknowledgements of the present epoch.
    var acknowledgements: [Acknowledgement] = []
  }

  public init(on scheduler: any Scheduler, world: World, waiting: Waiting = .acrossTurns) {
    self.scheduler = scheduler
    self.world = world
    self.waiting = waiting
    main = nil
    state = LaneLocal(State())
    #if DEBUG
      identity = LaneOwner.makeLane()
    #endif
  }

  /// The lane of a task: it has the clock and the turns of the pipeline's lane, and timers of its own.
  ///
  /// It belongs to one thread at a time: to a worker while the partition runs its tasks, else to the pipeline's lane.
  init(ofTaskOf main: Lane, on scheduler: TaskScheduler) {
    self.scheduler = scheduler
    world = main.world
    waiting = main.waiting
    self.main = main
    state = LaneLocal(State(checkpointer: main.checkpointer))
    #if DEBUG
      identity = main.identity
    #endif
  }

  /// The task that this lane belongs to; nil for the lane of the pipeline.
  var task: PartitionTask? { main == nil ? nil : state.value.task }

  /// The lane of the pipeline.
  var ofPipeline: Lane { main ?? self }

  func belong(to task: PartitionTask?) { state.value.task = task }

  /// Takes over the time of the pipeline's present turn.
  func followClock() {
    guard let main, state.value.number != main.state.value.number else { return }
    state.value.number = main.state.value.number
    state.value.now = main.state.value.now
    state.value.instant = main.state.value.instant
  }

  /// The number of the present turn.
  public var turnNumber: Int { state.value.number }

  /// The time of day when the present turn began: what `$now` is in all of it.
  public var now: Double { state.value.now }

  /// When the present turn began, by the clock that only goes forward: all of it happens at once.
  var instant: Instant { state.value.instant }

  /// Whether the time of the present event is measured.
  var isTimed: Bool {
    get { state.value.isTimed }
    set { state.value.isTimed = newValue }
  }

  /// The present work of the lane, for any thread.
  private struct Activity {
    /// Since when there is a turn, in seconds since 1970.
    var turn: Double?
    /// The sink that writes, and since when.
    var node: (name: String, since: Double)?
    var wait: PipelineStatus.Standstill?
    var lacksRoom = false
  }

  private let activity = Locked(Activity())

  /// The standstill of the lane, if there is one of some length, in seconds.
  func standstill(of length: Double) -> PipelineStatus.Standstill? {
    let found = activity.withLock { activity in
      activity.wait ?? activity.node.map { PipelineStatus.Standstill(node: $0.name, since: $0.since) }
        ?? activity.turn.map { PipelineStatus.Standstill(since: $0) }
    }
    return found.flatMap { world.wallClock() - $0.since >= length ? $0 : nil }
  }

  /// Notes what the lane waits for, at which step or sink: nothing passes meanwhile.
  ///
  /// Nil when it goes on.
  public func noteWait(_ reason: String?, of node: String? = nil, lacksRoom: Bool = false) {
    if let main { return main.noteWait(reason, of: node, lacksRoom: lacksRoom) }
    let now = world.wallClock()
    activity.withLock { activity in
      let since = activity.wait.flatMap { $0.node == node ? $0.since : nil } ?? now
      activity.wait = reason.map { PipelineStatus.Standstill(node: node, reason: $0, since: since) }
      activity.lacksRoom = lacksRoom
    }
  }

  /// Whether a commit waits for room on the disk; for any thread.
  var lacksRoom: Bool { activity.withLock { $0.lacksRoom } }

  /// Which sources are connected; for any thread.
  let connections = Locked(Connections())
  /// The lists of its polled sources.
  public let lists = PolledLists()

  /// Commits the state of the pipeline; nil without state.
  var checkpointer: Checkpointer? {
    get { state.value.checkpointer }
    set {
      state.value.checkpointer = newValue
    }
  }

  /// Sets the lane's clock to the time of day.
  ///
  /// Where it was ahead of that, as after the time of day was set back, it continues from where it was, and by as much
  /// as the time of day has advanced since: what was stored with a time waits no longer than it would have.
  func setClock(after former: LaneTime?) {
    let wallClock = world.wallClock()
    // As far as an instant reaches, which is the year 2261.
    var shown = Instant(nanoseconds: Int64(min(max(-9.2e9, wallClock), 9.2e9) * 1e6) * 1000)
    if let former {
      let passed = min(max(0, wallClock - former.now), 1e9)
      shown = max(shown, former.instant + .nanoseconds(Int64(passed * 1e6) * 1000))
    }
    state.value.offset = shown - scheduler.now
  }

  /// The scheduler's time for a time of the lane.
  func scheduled(_ time: Instant) -> Instant { time - (main ?? self).state.value.offset }

  /// The present, whatever the time of the turn is.
  var present: LaneTime {
    if let main { return main.present }
    let shown = scheduler.now + state.value.offset
    guard state.value.checkpointer != nil else { return LaneTime(now: world.wallClock(), instant: shown) }
    // To the microsecond, as times are kept; never before an alarm that has rung.
    let microseconds = (shown.nanoseconds + 999) / 1000
    return LaneTime(now: world.wallClock(), instant: Instant(nanoseconds: microseconds * 1000))
  }

  /// Runs `body` as a turn, or as part of the present turn.
  func turn(_ kind: Turn = .single, events: Int = 1, _ body: () -> Void) {
    asOwner { carryOut(kind, events, body) }
  }

  /// Runs `body` in a turn, or on a thread that the present turn waits for.
  func asOwner(_ body: () -> Void) {
    #if DEBUG
      LaneOwner.turn(of: identity, body)
    #else
      body()
    #endif
  }

  private func carryOut(_ kind: Turn, _ events: Int, _ body: () -> Void) {
    if let main {
      return main.turn(kind, events: events) {
        followClock()
        body()
      }
    }
    if state.value.depth == 0 {
      state.value.number += 1
      let time = state.value.checkpointer?.begin(kind) ?? present
      state.value.now = time.now
      state.value.instant = time.instant
      let began = world.wallClock()
      activity.withLock { $0.turn = began }
    }
    state.value.depth += 1
    body()
    if state.value.depth == 1 {
      for part in state.value.parts { part.endTurn() }
      if let checkpointer = state.value.checkpointer {
        checkpointer.end(kind, events: events)
      } else {
        acknowledge(true)
      }
      activity.withLock { $0.turn = nil }
    }
    state.value.depth -= 1
  }

  /// Resolves an acknowledgement at the end of the epoch.
  func add(_ acknowledgement: Acknowledgement) { state.value.acknowledgements.append(acknowledgement) }

  /// Resolves the acknowledgements of the epoch.
  func acknowledge(_ isCommitted: Bool) {
    if state.value.acknowledgements.isEmpty { return }
    let acknowledgements = state.value.acknowledgements
    state.value.acknowledgements = []
    for acknowledgement in acknowledgements { acknowledgement.resolve(isCommitted) }
  }

  var isWhole: Bool {
    get { wholeness.load(ordering: .relaxed) }
    set { wholeness.store(newValue, ordering: .relaxed) }
  }

  /// Calls `action` in the first turn.
  func onStart(_ action: @escaping @Sendable () -> Void) {
    (main ?? self).state.value.starters.append(action)
  }

  /// Runs the first turn, before any source delivers.
  func start() {
    isWhole = true
    let starters = state.value.starters
    state.value.starters = []
    state.value.checkpointer?.recover()
    turn(.settling) { for start in starters { start() } }
  }

  /// Releases its parts, which hold the lane themselves; the sinks first.
  func end() {
    state.value.hasEnded = true
    state.value.retained = [:]
    for part in state.value.parts.reversed() { part.end() }
    state.value.parts = []
    state.value.starters = []
    state.value.acknowledgements = []
    state.value.onFailure = nil
    connections.withLock { $0.bells = [] }
    lists.end()
    state.value.checkpointer?.close()
    state.value.checkpointer = nil
  }

  /// Keeps an object alive until it is released or the lane ends.
  func retain(_ object: AnyObject) { (main ?? self).state.value.retained[ObjectIdentifier(object)] = object }
  func release(_ object: AnyObject) { (main ?? self).state.value.retained[ObjectIdentifier(object)] = nil }

  /// Whether the lane has ended: nothing more reaches a sink.
  var hasEnded: Bool { (main ?? self).state.value.hasEnded }

  func add(_ part: any LanePart) { state.value.parts.append(part) }

  func onFailure(_ action: @escaping @Sendable (any Error) -> Void) { state.value.onFailure = action }

  func onLoss(_ action: @escaping @Sendable () -> Void) { state.value.onLoss = action }

  /// Records that an output could not be written: the pipeline continues, and ends with a failure.
  func noteLoss() { (main ?? self).state.value.onLoss?() }

  /// Ends the pipeline because of an error that cannot be ignored.
  func fail(_ error: any Error) { (main ?? self).state.value.onFailure?(error) }

  /// Runs `body`, in which a sink writes.
  func writing(_ sink: String, _ body: () -> Void) {
    let now = world.wallClock()
    activity.withLock { $0.node = (sink, now) }
    body()
    activity.withLock { $0.node = nil }
  }

  /// Runs `body` and adds its time to `meter`, less the time of other nodes within it.
  func timing(_ meter: Meter, isSample: Bool = false, _ body: () -> Void) {
    let outer = state.value.nestedTime
    state.value.nestedTime = 0
    let clock = ContinuousClock()
    let start = clock.now
    body()
    let (seconds, attoseconds) = (clock.now - start).components
    let spent = Int(seconds) * 1_000_000_000 + Int(attoseconds / 1_000_000_000)
    let own = max(0, spent - state.value.nestedTime)
    if isSample { meter.countSample(own) } else { meter.countTime(own) }
    state.value.nestedTime = outer + spent
  }
}
