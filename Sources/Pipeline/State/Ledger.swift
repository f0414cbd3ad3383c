import JSON
import Reactive
import Store

/// What a pipeline remembers between its runs, and when that is committed: its epochs.
///
/// An epoch is one turn of the lane, or a few of a source that never rests. When it ends everything is at rest, so one
/// transaction keeps it whole: what steps remember, how far sources have come, and what sinks are about to write. Then
/// the sinks write; the next epoch keeps that they have.
///
/// What comes of a source that can be read again from its position is not kept before it is written: a stretch of it
/// is an epoch that a run after a crash makes again, at the same time of day, and whose output it passes over as far
/// as it is there already. In a stretch there are only deliveries of that source; whatever else happens ends it first.
///
/// All of it is touched on the lane alone.
final class Ledger: AlarmOwner {
  /// How much one epoch may be of a source that never rests.
  struct Limits: Sendable {
    var events: Int
    var time: Duration
    var pendingBytes: Int

    /// As the pipeline has it; of what can be made again, more at a time, since nobody waits for it.
    init(_ plan: EpochPlan, isRepeatable: Bool) {
      events = plan.events ?? (isRepeatable ? 200_000 : 10_000)
      time = plan.time ?? (isRepeatable ? .seconds(2) : .milliseconds(200))
      pendingBytes = isRepeatable ? 32 << 20 : 16 << 20
    }
  }

  struct State {
    let file: StateFile
    var sinks: [KeptSink] = []
    /// What the next commit keeps beside the tables.
    var facts: [FactName: Fact?] = [:]
    /// Facts that are no reason for a commit: how often a source was polled.
    var idleFacts: [FactName: Fact?] = [:]
    var events = 0
    /// Whether a sink has something to tell.
    var isTouched = false
    /// Whether the epoch is to end with the turn.
    var isUrgent = false
    var hasAlarm = false
    /// The time at which all of the present stretch happens.
    var stretch: LaneTime?
    /// The time that the last commit has kept for the stretch behind it.
    var nextStretch: LaneTime?
    /// What a run before this one has written is being made again.
    var isRegenerating = false
    var postponed: [@Sendable () -> Void] = []
    /// After a failure nothing more is kept or written.
    var isBroken = false
    var runTables: [any Forgetful] = []
  }

  struct FactName: Hashable {
    let owner: String
    let name: String
  }

  /// Facts of the pipeline as a whole.
  static let owner = "pipeline"
  /// A stretch is begun at a time that was kept no longer ago than this.
  static let staleness = 1.0

  let state: LaneLocal<State>
  let lane: Lane
  let world: World
  let limits: Limits
  private let alarm: Alarm
  private let stop: StopSign
  private let log: NodeLog
  /// The clock as the last run has left it.
  let former: LaneTime?
  /// Whether the pipeline has one source, which can be read again from its position.
  let isRepeatable: Bool
  /// Tells the ids of this state from those of one that was reset.
  let life: String

  init(
    _ file: sending StateFile, _ limits: Limits, isRepeatable: Bool, on lane: Lane,
    in subscription: Subscription,
    stop: StopSign, _ log: NodeLog
  ) throws {
    former = LaneTime(text: try file.fact(owner: Self.owner, name: "clock")?.text)
    let known = try file.fact(owner: Self.owner, name: "life")?.text
    life = known ?? String(UInt32(lane.world.random() * 4_294_967_295), radix: 36)
    self.lane = lane
    world = lane.world
    self.limits = limits
    self.isRepeatable = isRepeatable
    self.stop = stop
    self.log = log
    alarm = Alarm(on: lane.scheduler, in: subscription)
    var state = State(file: file)
    if known == nil { state.idleFacts[FactName(owner: Self.owner, name: "life")] = .text(life) }
    self.state = LaneLocal(state)
    lane.setClock(atLeast: former?.instant)
  }

  // MARK: - Turns

  /// Before a turn; the time at which all of it happens, where that is not the present.
  func begin(_ kind: Lane.Turn) -> LaneTime? {
    switch kind {
    case .settling: return nil
    case .repeatable where isRepeatable:
      if state.value.stretch == nil { openStretch() }
      return state.value.stretch
    case .repeatable, .streamed, .single:
      if state.value.isRegenerating { endRegeneration() }
      if state.value.stretch != nil { commit() }
      return nil
    }
  }

  /// After a turn, when its sinks have handed out what they had.
  func end(_ kind: Lane.Turn, events: Int) {
    state.value.events += events
    if state.value.isRegenerating { return regenerate() }
    guard isDirty else { return }
    let pending = state.value.file.pendingBytes + state.value.sinks.reduce(0) { $0 + $1.pendingBytes }
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

  private var isDirty: Bool {
    let state = state.value
    return state.isTouched || !state.facts.isEmpty || state.stretch != nil || state.file.pendingBytes > 0
      || state.sinks.contains { $0.isWaiting }
  }

  /// Something is to be kept before long.
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

  // MARK: - Epochs

  /// Ends the epoch: keeps it whole, and has the sinks write what came of it.
  ///
  /// On a full disk it waits for room; at a hard stop it is tried once.
  func commit() {
    if state.value.isBroken { return }
    crashPoint("epoch.ending")
    do {
      for sink in state.value.sinks { try sink.willCommit() }
      crashPoint("epoch.gathered")
      let time = lane.present
      try write(time)
      state.value.nextStretch = time
    } catch {
      return fail(error)
    }
    state.value.facts = [:]
    state.value.idleFacts = [:]
    state.value.events = 0
    state.value.isTouched = false
    state.value.isUrgent = false
    state.value.stretch = nil
    for sink in state.value.sinks {
      crashPoint("epoch.kept, before a sink")
      sink.didCommit(state.value.file.epoch)
    }
    crashPoint("epoch.done")
  }

  private func write(_ time: LaneTime) throws {
    let state = state
    var lastTold: Double?
    while true {
      do throws(StoreError) {
        try state.value.file.commit { (epoch) throws(StoreError) in
          for (key, fact) in state.value.idleFacts { try epoch.keep(fact, key) }
          for (key, fact) in state.value.facts { try epoch.keep(fact, key) }
          try epoch.set(.text(time.text), owner: Ledger.owner, name: "clock")
          for sink in state.value.sinks { try sink.write(to: epoch) }
        }
        if lastTold != nil { log.notice("the state can be kept again") }
        return
      } catch {
        guard error.isFull || error.isBusy else { throw error }
        let now = world.wallClock()
        if lastTold.map({ abs(now - $0) > 60 }) ?? true {
          log.error("\(error); the pipeline waits until it can be kept")
          lastTold = now
        }
        if world.pause(0.5, stop) { throw error }
      }
    }
  }

  /// The last epoch of a run; `isCompleted` where its sources have come to their ends by themselves.
  func finish(isCompleted: Bool, sources: [String]) {
    crashPoint("run.ending")
    if isCompleted {
      // The next run begins anew.
      for source in sources where (try? position(of: source))??.member("follow")?.isTruthy != true {
        set(nil, source, "position")
      }
      for table in state.value.runTables { table.forget() }
    }
    if isDirty || isCompleted || state.value.sinks.contains(where: \.outbox.hasChanges) { commit() }
  }

  /// Lets go of the file.
  func close() {
    state.value.sinks = []
    state.value.file.tidy()
  }
}

extension Epoch {
  fileprivate func keep(_ fact: Fact?, _ key: Ledger.FactName) throws(StoreError) {
    if let fact {
      try set(fact, owner: key.owner, name: key.name)
    } else {
      try remove(owner: key.owner, name: key.name)
    }
  }
}

extension StoreError {
  /// Another process is in the file for a moment, as one that reads it for a person.
  fileprivate var isBusy: Bool { if case .held = kind { true } else { false } }
}

/// What has no use once a run has come to its end.
protocol Forgetful {
  func forget()
}
