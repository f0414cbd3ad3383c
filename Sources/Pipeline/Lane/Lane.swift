import Reactive

/// The one serial line of a pipeline: everything between its sources and its sinks happens here, one turn after the
/// other.
///
/// A turn is a delivery of a source, or a timer. When it ends, all is at rest, and the sinks write what it gave them.
public final class Lane: Sendable {
  public let scheduler: any Scheduler
  public let world: World
  private let state: LaneLocal<State>

  private struct State {
    var number = 0
    var now = 0.0
    var instant = Instant()
    var depth = 0
    var isTimed = false
    var nestedTime = 0
    var sinks: [SinkObserver] = []
    var starters: [@Sendable () -> Void] = []
    var onFailure: (@Sendable (any Error) -> Void)?
    var onLoss: (@Sendable () -> Void)?
  }

  public init(on scheduler: any Scheduler, world: World) {
    self.scheduler = scheduler
    self.world = world
    state = LaneLocal(State())
  }

  /// The number of the present turn.
  var turnNumber: Int { state.value.number }

  /// The time of day when the present turn began: what `$now` is in all of it.
  public var now: Double { state.value.now }

  /// When the present turn began, by the clock that only goes forward: all of it happens at once.
  var instant: Instant { state.value.instant }

  /// Whether the event that is under way is one of those whose time is taken.
  var isTimed: Bool {
    get { state.value.isTimed }
    set { state.value.isTimed = newValue }
  }

  /// Runs `body` as a turn, or as a part of the turn that is under way.
  func turn(_ body: () -> Void) {
    if state.value.depth == 0 {
      state.value.number += 1
      state.value.now = world.wallClock()
      state.value.instant = scheduler.now
    }
    state.value.depth += 1
    body()
    if state.value.depth == 1 {
      for sink in state.value.sinks { sink.endTurn() }
    }
    state.value.depth -= 1
  }

  /// Has `action` called in the first turn.
  func onStart(_ action: @escaping @Sendable () -> Void) { state.value.starters.append(action) }

  /// The first turn, before any source delivers.
  func start() {
    let starters = state.value.starters
    state.value.starters = []
    turn { for start in starters { start() } }
  }

  /// Lets go of what hangs on it: the sinks, which hold on to the lane themselves.
  func end() {
    state.value.sinks = []
    state.value.starters = []
    state.value.onFailure = nil
  }

  func add(_ sink: SinkObserver) { state.value.sinks.append(sink) }

  func onFailure(_ action: @escaping @Sendable (any Error) -> Void) { state.value.onFailure = action }

  func onLoss(_ action: @escaping @Sendable () -> Void) { state.value.onLoss = action }

  /// Notes that something which was to be written was not: the pipeline goes on, and ends with a failure.
  func noteLoss() { state.value.onLoss?() }

  /// Ends the pipeline because of something that must not be passed over.
  func fail(_ error: any Error) { state.value.onFailure?(error) }

  /// Runs `body`, and charges the time it takes to `meter`, less what others took within it.
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

/// What belongs to a lane and is touched on it alone.
///
/// `@unchecked Sendable` with its reason: a lane's scheduler runs one piece of work at a time, each after the other
/// with the memory order that its queue gives, and the compiler cannot know that everything here is called from there.
/// It is the only type of this module that is taken on trust.
public final class LaneLocal<Value>: @unchecked Sendable {
  @exclusivity(unchecked) public var value: Value

  public init(_ value: Value) { self.value = value }
}
