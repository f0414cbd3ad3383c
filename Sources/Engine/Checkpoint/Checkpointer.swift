import JSON
import Language
import Reactive
import Store
import System

/// The checkpointer: ends the epochs of a pipeline, commits them, and recovers from them after a crash.
///
/// An epoch is one turn of the lane, or several turns of a source that never rests. At its end everything is at rest,
/// so one transaction stores it whole: the state of steps, the positions of sources, and what sinks are about to write
/// (the outbox). Then the sinks write; the next epoch records that they have.
///
/// A repeatable epoch holds batches of one source that can be read again from its position. Its output goes to files
/// before the commit, at disk speed. After a crash the same input is processed again at the same time of day, and sinks
/// skip the output that is in their files already (see Recovery.swift).
///
/// Invariants; ARCHITECTURE.md names the test that proves each:
/// 1. State, positions and outputs of an epoch are committed in one transaction, or not at all.
/// 2. No sink writes an output of an ordinary epoch before the epoch is committed.
/// 3. Nothing of a repeatable epoch is written before the time at which all of it happens, and the position that it
///    begins at, are committed: the first batch of a source without a position is an ordinary epoch.
/// 4. A repeatable epoch contains batches of its source only; anything else ends it first.
/// 5. While a repeatable epoch is regenerated, nothing but its source's batches is processed, and nothing commits.
/// 6. After a failed commit nothing more is stored or written by this run.
/// 7. The clock of the lane never goes back from one run to the next.
///
/// All of it is touched on the lane alone.
final class Checkpointer: AlarmOwner {
  /// How large an epoch may become while its source never rests.
  struct Limits: Sendable {
    var events: Int
    var time: Duration
    var pendingBytes: Int

    /// The plan's limits; by default larger for repeatable epochs, since nothing waits for their commit.
    init(_ plan: EpochPlan, isRepeatable: Bool) {
      events = plan.events ?? (isRepeatable ? 200_000 : 10_000)
      time = plan.time ?? (isRepeatable ? .seconds(2) : .milliseconds(200))
      pendingBytes = isRepeatable ? 32 << 20 : 16 << 20
    }
  }

  /// A pipeline rests that has had no more than so many commits since a pause as long as this: a poll has two or three.
  private static let (fewCommits, rest) = (4, Duration.seconds(10))

  struct State {
    let file: StateFile
    /// A random name, so that output ids never repeat those of a state that was reset.
    var stateID: String
    var sinks: [SinkObserver] = []
    var letters: [StepLetters] = []
    /// The trace of the last events, where the pipeline keeps one.
    var trace: KeptTrace?
    /// The facts that the next commit stores beside the tables.
    var facts: [FactName: Fact?] = [:]
    /// Facts that are no reason for a commit: how often a source was polled.
    var lazyFacts: [FactName: Fact?] = [:]
    var events = 0
    /// Whether a sink has a change to store.
    var isTouched = false
    /// Whether the epoch ends with the turn.
    var isUrgent = false
    var hasAlarm = false
    /// The time at which all of the present repeatable epoch happens; nil outside of one.
    var repeatableTime: LaneTime?
    /// The time that the last commit has stored for the repeatable epoch behind it.
    var nextRepeatableTime: LaneTime?
    /// Whether output that an earlier run has written is being regenerated.
    var isRegenerating = false
    var postponed: [@Sendable () -> Void] = []
    /// After a failure nothing more is stored or written.
    var isBroken = false
    var runTables: [any RunScoped] = []
    /// Whether a step counts the time between two runs, which begins when this one ends.
    var countsPauses = false
    /// The commits since the last rest, and when the last one was.
    var commits = (last: Instant(), count: 0)
    /// Changed keys that have been reported.
    var keyChanges: Set<String> = []

    /// The outboxes of sinks and steps.
    var outboxes: [Outbox] { sinks.compactMap(\.outbox) + letters.map(\.outbox) }
  }

  struct FactName: Hashable {
    let owner: String
    let name: String
  }

  /// The owner of facts about the pipeline as a whole.
  static let owner = "pipeline"
  /// The greatest age, in seconds, of a stored time at which a repeatable epoch may begin.
  static let staleness = 1.0

  let state: LaneLocal<State>
  let lane: Lane
  let world: World
  let limits: Limits
  private let alarm: Alarm
  private let stop: StopSign
  private let log: NodeLog
  /// The lane's clock at the last commit of the run before.
  let former: LaneTime?
  /// Whether the pipeline has one source, which can be read again from its position.
  let isRepeatable: Bool
  /// The numbers of tasks that a redistribution of state has been reported for.
  private let reported = Locked<Set<[Int]>>([])

  init(
    _ file: sending StateFile, _ limits: Limits, isRepeatable: Bool, on lane: Lane,
    in subscription: Subscription,
    stop: StopSign, _ log: NodeLog
  ) throws {
    former = try file.fact(owner: Self.owner, name: "clock")?.text.flatMap { LaneTime(json: Array($0.utf8)) }
    let known = try file.fact(owner: Self.owner, name: "life")?.text
    self.lane = lane
    world = lane.world
    self.limits = limits
    self.isRepeatable = isRepeatable
    self.stop = stop
    self.log = log
    alarm = Alarm(on: lane.scheduler, in: subscription)
    var state = State(file: file, stateID: known ?? Self.newStateID(lane.world))
    if known == nil { state.lazyFacts[FactName(owner: Self.owner, name: "life")] = .text(state.stateID) }
    self.state = LaneLocal(state)
    lane.setClock(after: former)
  }

  // MARK: - Turns

  /// Called before a turn: the time at which all of it happens, nil for the present.
  func begin(_ kind: Lane.Turn) -> LaneTime? {
    switch kind {
    case .settling: return nil
    case .repeatable where isRepeatable:
      if state.value.repeatableTime == nil { openRepeatableEpoch() }
      return state.value.repeatableTime
    case .repeatable, .streamed, .single:
      if state.value.isRegenerating { endRegeneration() }
      if state.value.repeatableTime != nil { commit() }
      return nil
    }
  }

  /// Called after a turn, when its sinks have handed over their output.
  func end(_ kind: Lane.Turn, events: Int) {
    state.value.events += events
    if state.value.isRegenerating { return regenerate() }
    guard isDirty else { return lane.acknowledge(!state.value.isBroken) }
    let pending =
      state.value.file.pendingBytes + state.value.sinks.reduce(0) { $0 + ($1.outbox?.pendingBytes ?? 0) }
    switch kind {
    case .single: commit()
    case .repeatable, .streamed, .settling:
      if state.value.isUrgent || state.value.events >= limits.events || pending >= limits.pendingBytes {
        commit()
      } else {
        arm(limits.time)
      }
    }
  }

  /// Reports once that the state of steps is divided among another number of tasks than in the last run.
  func reportDivision(from before: Int, to tasks: Int) {
    guard reported.withLock({ $0.insert([before, tasks]).inserted }) else { return }
    func shown(_ count: Int) -> String { count == 1 ? "one task" : "\(count) tasks" }
    log.notice("the state is now divided among \(shown(tasks)); it was \(shown(before))")
  }

  private var isDirty: Bool {
    let state = state.value
    return state.isTouched || !state.facts.isEmpty || state.repeatableTime != nil
      || state.file.pendingBytes > 0 || state.trace?.hasNews == true
      || state.sinks.contains { $0.outbox?.hasOutputs == true }
  }

  /// Schedules a commit: a sink has a change to store.
  func touch() {
    state.value.isTouched = true
    if !state.value.isRegenerating { arm(limits.time) }
  }

  func arm(_ time: Duration) {
    if state.value.hasAlarm { return }
    state.value.hasAlarm = true
    alarm.set(at: lane.scheduler.now + time, for: self)
  }

  func ring() {
    state.value.hasAlarm = false
    if isDirty { commit() }
  }

  func fail(_ error: any Error) {
    if state.value.isBroken { return }
    state.value.isBroken = true
    lane.fail(error)
  }

  /// Stores nothing more: a sink was cut off in the middle of its output.
  func breakOff() { state.value.isBroken = true }

  // MARK: - Epochs

  /// Ends the epoch: commits it, then lets the sinks write its output.
  ///
  /// On a full disk it waits for room; during a hard stop it tries once. `time` is when it happens, the present by default.
  /// Where it fails that is optional, the run has not failed.
  func commit(at time: LaneTime? = nil, isOptional: Bool = false) {
    if state.value.isBroken { return lane.acknowledge(false) }
    crashPoint("epoch.ending")
    do {
      for sink in state.value.sinks { try sink.willCommit() }
      state.value.trace?.store()
      crashPoint("epoch.gathered")
      let time = time ?? lane.present
      try write(time, isOptional)
      state.value.nextRepeatableTime = time
    } catch {
      lane.acknowledge(false)
      if isOptional { return breakOff() }
      return fail(error)
    }
    crashPoint("epoch.kept, before acknowledgements")
    lane.acknowledge(true)
    state.value.facts = [:]
    state.value.lazyFacts = [:]
    state.value.events = 0
    state.value.isTouched = false
    state.value.isUrgent = false
    state.value.repeatableTime = nil
    for sink in state.value.sinks {
      crashPoint("epoch.kept, before a sink")
      sink.didCommit(state.value.file.epoch)
    }
    for letters in state.value.letters { letters.didCommit(state.value.file.epoch) }
    crashPoint("epoch.done")
    let now = lane.scheduler.now
    let hasRested = now - state.value.commits.last > world.speed.shown(for: Self.rest)
    state.value.commits = (now, hasRested ? 1 : state.value.commits.count + 1)
    freeCacheAtRest()
  }

  /// Where commits are far apart, no pages are cached between them: thousands of pipelines rest most of the time.
  private func freeCacheAtRest() {
    if state.value.commits.count <= Self.fewCommits { state.value.file.freeCache() }
  }

  private func write(_ time: LaneTime, _ isOptional: Bool) throws {
    let state = state
    var lastTold: Double?
    while true {
      do throws(StoreError) {
        try state.value.file.commit { (epoch) throws(StoreError) in
          for (key, fact) in state.value.lazyFacts { try epoch.keep(fact, key) }
          for (key, fact) in state.value.facts { try epoch.keep(fact, key) }
          try epoch.set(.text(time.jsonValue.description), owner: Checkpointer.owner, name: "clock")
          for outbox in state.value.outboxes { try outbox.write(to: epoch) }
        }
        if lastTold != nil { log.notice("the state can be written again") }
        lane.noteWait(nil)
        return
      } catch {
        guard error.isPassing, !isOptional else { throw error }
        lane.noteWait("the state cannot be written: \(error)", lacksRoom: error.isFull)
        let now = world.wallClock()
        if lastTold.map({ abs(now - $0) > 60 }) ?? true {
          log.error("\(error); the pipeline waits until the state can be written")
          lastTold = now
        }
        if world.pauseForDisk(0.5, stop) { throw error }
      }
    }
  }

  /// Commits the last epoch of a run; `isCompleted` where all sources have ended by themselves.
  func finish(isCompleted: Bool, sources: [String]) {
    crashPoint("run.ending")
    if isCompleted {
      // The next run starts from the beginning.
      for source in sources where (try? position(of: source))??.member("follow")?.isTruthy != true {
        set(nil, source, "position")
      }
      for table in state.value.runTables { table.forget() }
    }
    let hasChanges = state.value.sinks.contains { $0.outbox?.hasChanges == true }
    if isDirty || isCompleted || hasChanges {
      commit()
    } else if state.value.countsPauses {
      commit(isOptional: true)
    }
    // So that the state is one file when it rests, unless something is still to be delivered.
    if state.value.file.hasOutputsBeside { commit() }
  }

  /// Closes the state file.
  func close() {
    (state.value.sinks, state.value.letters) = ([], [])
    state.value.trace?.end()
    state.value.trace = nil
    state.value.file.checkpointWAL()
  }
}

extension Epoch {
  fileprivate func keep(_ fact: Fact?, _ key: Checkpointer.FactName) throws(StoreError) {
    if let fact {
      try set(fact, owner: key.owner, name: key.name)
    } else {
      try remove(owner: key.owner, name: key.name)
    }
  }
}

// MARK: - Status

extension Checkpointer {
  /// The contents of the last commit: the keys of each node, the outputs and dead letters of each sink, and of
  /// the steps that have dead letters.
  var holdings: (keys: [String: Int], sinks: [String: (waiting: Int, dead: Int)], steps: [String])? {
    let file = state.value.file
    defer { freeCacheAtRest() }
    guard let tables = try? file.storedTables(), let sinks = try? file.storedSinks() else { return nil }
    var keys: [String: Int] = [:]
    for table in tables where !table.node.hasSuffix("@\(StepContext.waiting)") {
      // A node may have several tables, `NODE@PART`.
      let name = table.node.utf8.firstIndex(of: UInt8(ascii: "@")).map { String(table.node[..<$0]) }
      keys[name ?? table.node, default: 0] += table.keys
    }
    let written = state.value.sinks.compactMap(\.outbox).filter { $0.unstoredMark?.epoch == file.epoch }
      .map(\.name)
    return (
      keys,
      Dictionary(
        sinks.map { ($0.name, (waiting: written.contains($0.name) ? 0 : $0.waiting, dead: $0.dead)) }
      ) { first, _ in first },
      state.value.letters.map(\.outbox.name)
    )
  }
}

// MARK: - The id of the state

extension Checkpointer {
  private static func newStateID(_ world: World) -> String {
    String(UInt32(world.random() * 4_294_967_295), radix: 36)
  }

  var stateID: String { state.value.stateID }

  /// The name of a source that differs from those of other states on this machine.
  func identity(of source: String) -> String? {
    state.value.file.identity.map { "\($0.device)-\($0.inode)/\(source)" }
  }

  /// Renews the id of the state, a part of output ids: uncommitted output that stays has the ids that would come next.
  func renewStateID() {
    state.value.stateID = Self.newStateID(world)
    set(.text(stateID), Self.owner, "life")
  }
}

// MARK: - Facts

/// Named values beside the tables of steps: positions of sources, serial numbers and file marks of sinks.
extension Checkpointer {
  func fact(_ owner: String, _ name: String) throws -> Fact? {
    let key = FactName(owner: owner, name: name)
    if let fact = state.value.facts[key] ?? state.value.lazyFacts[key] { return fact }
    return try state.value.file.fact(owner: owner, name: name)
  }

  func set(_ fact: Fact?, _ owner: String, _ name: String, isLazy: Bool = false) {
    let key = FactName(owner: owner, name: name)
    if isLazy, state.value.facts[key] == nil {
      state.value.lazyFacts[key] = .some(fact)
    } else {
      state.value.facts[key] = .some(fact)
    }
  }

  /// Sets the position of a source, or of an entry of the list that it is polled over; null is none.
  func setPosition(_ position: Value, of source: String, entry: Value? = nil, isIdle: Bool) {
    let name = entry.map { "\(Self.entryPosition)\($0)" } ?? "position"
    if position.kind == .null { return set(nil, source, name) }
    set(.text(position.description), source, name, isLazy: isIdle)
  }

  private static let entryPosition = "position "

  /// The positions of a source's entries, by id.
  func entryPositions(of source: String) throws -> [Value: Value] {
    var positions: [Value: Value] = [:]
    for (name, fact) in try state.value.file.facts(owner: source) where name.hasPrefix(Self.entryPosition) {
      guard let id = try? Value.parse(String(name.dropFirst(Self.entryPosition.count))),
        let position = fact.text.flatMap({ try? Value.parse($0) })
      else { continue }
      positions[id] = position
    }
    return positions
  }

  func position(of source: String) throws -> Value? {
    try fact(source, "position")?.text.flatMap { try? Value.parse($0) }
  }
}

/// A table of one run, discarded when it has completed.
protocol RunScoped {
  func forget()
}

/// The time of a lane: the time of day, and its own clock, which never goes back.
struct LaneTime: JSONRecord {
  var now: Double
  var instant: Instant

  init(now: Double, instant: Instant) {
    self.now = now
    self.instant = instant
  }

  static let form = RecordForm<Self>(
    Self.init(now:instant:), Field("now", \.now), Field("instant", \.instant))
}
