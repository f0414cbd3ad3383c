import JSON
import Language
import Reactive

/// A partition: sends each event to the task that its key belongs to, and what the tasks make of it on as one stream.
///
/// The steps below it exist once for each task, with state of their own. All of a turn happens within that turn of the
/// pipeline's lane, so epochs, commits and recovery know nothing of tasks:
///
/// 1. Events of a turn collect in packs, one for each task. At the end of the turn, and of a poll, the packs are run,
///    on as many threads as there are lanes, and the lane waits for all of them.
/// 2. The outputs go on in the order of the events that they come from. So the stream does not depend on threads, on
///    the number of lanes, or on how a source divides its input into batches, which a replay may do differently.
/// 3. The end of a poll reaches every task when all have handled the events before it, and goes on when it has ended
///    in all of them. What a task sends at it comes in the order of the source's rows, then task by task.
/// 4. Timers run on the lane, in the order of their deadlines, those of one instant task by task.
///
/// `@unchecked Sendable` with its reason: all of it is touched on its lane alone, as `LaneLocal` has it.
final class Partition: Observer, AlarmOwner, @unchecked Sendable {
  /// With fewer events the threads would cost more than they save.
  private static let worthwhile = 48
  /// The events of a turn that are held in packs, at most.
  private static let mostHeld = 16_384
  /// One event in so many is measured.
  private static let sampling = 64

  private let key: Evaluation
  private let tasks: [PartitionTask]
  /// The threads beside the lane's own; nil where everything runs there.
  private let threads: TaskThreads?
  /// Whether each event goes through its task at once, which is the same with less work where there is one thread.
  private let isDirect: Bool
  private let downstream: any Observer<Event>
  private let lane: Lane
  private let meter: Meter
  private let errors: ErrorReporter
  private let subscription: Subscription
  private let alarm: Alarm
  private let hash = KeyHash()
  /// The tasks of the events that are held, in order.
  private var routes: [UInt8] = []
  private var eventsOfPoll = 0
  /// The turn whose time the tasks have.
  private var turn = -1
  private var sampled = 0
  private var isComplete = false

  init(
    by key: Evaluation, _ tasks: [PartitionTask], isDirect: Bool, to downstream: any Observer<Event>,
    in subscription: Subscription, _ lane: Lane, _ meter: Meter, _ errors: ErrorReporter,
    threads: TaskThreads?
  ) {
    self.key = key
    self.tasks = tasks
    self.threads = threads
    self.isDirect = isDirect
    self.downstream = downstream
    self.lane = lane
    self.meter = meter
    self.errors = errors
    self.subscription = subscription
    alarm = Alarm(on: lane.scheduler, in: subscription)
    for task in tasks { task.output = TaskOutput(self, task) }
  }

  // MARK: - The stream

  func next(_ event: Event) {
    if event.isEndOfPoll { return endPoll(event.poll) }
    meter.countIn()
    let task: Int
    do {
      task = hash.task(of: event.keyed(try key.first(event) ?? .null), among: tasks.count)
    } catch {
      // In its place among what the events before it lead to.
      run()
      return errors.report(error, event)
    }
    meter.countOut()
    meter.show(event, on: lane)
    eventsOfPoll += 1
    if isDirect {
      if lane.turnNumber != turn { followClock() }
      tasks[task].take(event, isTimed: lane.isTimed)
    } else {
      tasks[task].pack.append((position: routes.count, event: event))
      routes.append(UInt8(task))
      if routes.count >= Self.mostHeld { run() }
    }
  }

  func fail(_ error: any Error) { lane.fail(error) }

  func complete() {
    if isComplete { return }
    lane.turn {
      run()
      followClock()
      for task in tasks { task.first.complete() }
      isComplete = true
      subscription.dispose()
      downstream.complete()
    }
  }

  /// The lane has ended.
  func end() { isComplete = true }

  /// Called at the end of each turn, before the sinks write.
  func endTurn() {
    run()
    setAlarm()
  }

  @inline(never)
  private func endPoll(_ poll: Poll) {
    run()
    meter.show(.end(of: poll), on: lane)
    for task in tasks { task.prepareEnd(of: poll) }
    // Rows may have waited for this, so it can be as much work as they are.
    let isMuch = eventsOfPoll >= Self.worthwhile
    eventsOfPoll = 0
    for task in tasks { task.bufferOutputs() }
    spread(isMuch ? threads : nil) { $0.end(poll) }
    merge(byRow: true)
    lane.isTimed = false
    send(.end(of: poll))
  }

  // MARK: - Packs

  /// Runs what is held, and sends on what comes of it.
  private func run() {
    if routes.isEmpty { return }
    let isMuch = routes.count >= Self.worthwhile
    for task in tasks { task.bufferOutputs() }
    spread(isMuch ? threads : nil) { $0.runPack() }
    merge(byRow: false)
    lane.isTimed = false
    routes.removeAll(keepingCapacity: true)
  }

  private func followClock() {
    turn = lane.turnNumber
    for task in tasks { task.lane.followClock() }
  }

  /// Does something with all tasks, on all threads.
  private func spread(_ threads: TaskThreads?, _ body: @escaping @Sendable (PartitionTask) -> Void) {
    followClock()
    guard let threads else {
      for task in tasks { body(task) }
      return
    }
    threads.run(tasks.count) { [tasks, lane] task in lane.asOwner { body(tasks[task]) } }
  }

  /// Sends on what the tasks have put out, in order.
  private func merge(byRow: Bool) {
    if byRow {
      var all: [(position: Int, task: Int, item: PartitionTask.Item)] = []
      for (number, task) in tasks.enumerated() {
        for output in task.takeOutputs() { all.append((output.position, number, output.item)) }
      }
      // Stable: what one task sends of one row, or of none, stays in its order.
      let order = all.indices.sorted { a, b in
        all[a].position == all[b].position ? a < b : all[a].position < all[b].position
      }
      for index in order { send(all[index].item) }
      return
    }
    var outputs = tasks.map { $0.takeOutputs()[...] }
    for (position, route) in routes.enumerated() {
      let task = Int(route)
      while let first = outputs[task].first, first.position == position {
        send(first.item)
        outputs[task].removeFirst()
      }
    }
  }

  private func send(_ item: PartitionTask.Item) {
    switch item {
    case .event(let event): send(event)
    case .action(let action): action()
    }
  }

  @inline(__always)
  fileprivate func send(_ event: Event) {
    if isComplete || subscription.isDisposed { return }
    if !event.isEndOfPoll {
      sampled &+= 1
      lane.isTimed = !isDirect && sampled % Self.sampling == 1
    }
    downstream.next(event)
  }

  // MARK: - Timers

  private func setAlarm() {
    var earliest: Instant?
    for task in tasks {
      if let deadline = task.timers.earliest, earliest.map({ deadline < $0 }) ?? true { earliest = deadline }
    }
    if let earliest { alarm.set(at: earliest, for: self) } else { alarm.clear() }
  }

  func ring() {
    if isComplete || lane.hasEnded { return }
    if let checkpointer = lane.checkpointer, checkpointer.isRegenerating {
      return checkpointer.postpone { [self] in ring() }
    }
    let now = lane.scheduler.now
    lane.turn {
      followClock()
      // What is set meanwhile rings in a turn of its own: where the clock was set during this one, its time is not that
      // of the clock, and a step that waits for a time of day would be woken, too early for it, without end.
      let due = tasks.flatMap { $0.timers.takeAll(dueBy: now) }
      let order = due.indices.sorted {
        due[$0].deadline == due[$1].deadline ? $0 < $1 : due[$0].deadline < due[$1].deadline
      }
      for index in order { due[index].work() }
    }
  }
}

/// The output of a task: held while the tasks run, and sent on at once otherwise.
private final class TaskOutput: Observer, @unchecked Sendable {
  // The partition holds its tasks, each of which holds its output until both end; counting references to them would
  // cost more than passing an event on.
  private unowned(unsafe) let partition: Partition
  private unowned(unsafe) let task: PartitionTask

  init(_ partition: Partition, _ task: PartitionTask) {
    self.partition = partition
    self.task = task
  }

  func next(_ event: Event) {
    // The partition itself sends the end on, once.
    if event.isEndOfPoll { return }
    if task.isBuffering { task.put(event) } else { partition.send(event) }
  }

  func fail(_ error: any Error) { task.perform { [partition] in partition.fail(error) } }
  func complete() {}
}
