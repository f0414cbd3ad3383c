import Language
import Reactive

extension Assembly {
  /// Connects a partition and the steps below it, which exist once for each of its tasks.
  mutating func connect(
    _ plan: StepPlan, by key: Expression, into count: Int, _ below: ArraySlice<StepPlan>,
    to events: Observable<Event>, of own: Set<String>, isGivenSnapshots: Bool
  ) throws -> Observable<Event> {
    let meter = meter(plan.name, plan.spec)
    let errors = try errorReporter(plan.onError, meter, log(plan.name, of: own))
    let tasks = (0..<count).map { PartitionTask(of: lane, isLast: $0 == count - 1) }
    var nodes: [TaskNode] = []
    var isWhole = isGivenSnapshots
    for step in below {
      nodes.append(try node(step, in: tasks, key, of: own, isGivenSnapshots: isWhole))
      isWhole = isWhole && step.spec.emitsWholePolls
    }
    let lanes = min(options.lanes, count)
    let made = LaneLocal(nodes)
    let name = plan.name
    // Streams are connected in the order of the way of an event, but attached in the order of who reads them.
    let slot = PartitionSlot()
    lane.add(slot)
    return Observable { [lane, ending, options, schedulers] downstream, subscription in
      let child = subscription.child()
      let (tap, notes) = (options.tap, options.notes)
      let partition = Partition(
        by: Evaluation(key, on: lane), tasks, isDirect: lanes <= 1, to: downstream, in: child, lane, meter,
        errors,
        // In virtual time everything runs on one thread.
        threads: lanes > 1 && lane.waiting == .acrossTurns ? TaskThreads(lanes - 1, of: schedulers) : nil)
      for (number, task) in tasks.enumerated() {
        guard var next = task.output else { continue }
        for node in made.value.reversed() {
          let (step, context) = node.parts[number]
          if let tap { next = TaskTap(node.name, tap, task, to: next) }
          if let notes { next = NotingObserver(node.name, notes, task, to: next) }
          // The end of one task is not that of the others.
          let own = child.child()
          let observer = StepObserver(step, to: next, in: own, context, node.errors, ending: ending)
          lane.onStart {
            task.lane.followClock()
            observer.start()
          }
          task.steps.insert(observer, at: 0)
          next = observer
        }
        if let tap { next = TaskTap(name, tap, task, to: next) }
        if let notes { next = NotingObserver(name, notes, task, to: next) }
        task.first = next
      }
      slot.partition.value = partition
      events.attach(partition, in: child)
    }
  }

  /// A step in each task.
  private mutating func node(
    _ plan: StepPlan, in tasks: [PartitionTask], _ key: Expression, of own: Set<String>,
    isGivenSnapshots: Bool
  ) throws -> TaskNode {
    let meter = meter(plan.name, plan.spec)
    let log = log(plan.name, of: own)
    let errors = try errorReporter(plan.onError, meter, log)
    let group = TaskGroup()
    var node = TaskNode(name: plan.name, errors: errors, parts: [])
    guard case .step(let make) = plan.spec.maker as? Maker else { return node }
    for (number, task) in tasks.enumerated() {
      let relayed = log.log.relayed { task.perform($0) }
      var context = StepContext(
        name: plan.name, lane: task.lane,
        log: NodeLog(log: relayed, pipeline: self.plan.name, node: plan.name),
        meter: meter.part(), isGivenSnapshots: isGivenSnapshots, schedules: self.plan.schedules)
      context.place = TaskPlace(
        number: number, count: tasks.count, key: key.text, hasFinerKey: plan.hasFinerKey, group: group)
      node.parts.append((try make(plan.options, context), context))
    }
    return node
  }
}

/// The place of a partition among the parts of its lane, before it is attached.
private final class PartitionSlot: LanePart, Sendable {
  let partition = LaneLocal<Partition?>(nil)

  func endTurn() { partition.value?.endTurn() }

  func end() {
    partition.value?.end()
    partition.value = nil
  }
}

/// A step below a partition, once for each task.
private struct TaskNode {
  let name: String
  let errors: ErrorReporter
  var parts: [(step: any Step, context: StepContext)]
}

/// The output of a step in a task, for those who listen: in the order of the partition's output, and the end of a
/// poll once, behind its events in all tasks.
private final class TaskTap: Observer {
  private let name: String
  private let tap: @Sendable (String, Event) -> Void
  private let task: PartitionTask
  private let next: any Observer<Event>

  init(
    _ name: String, _ tap: @escaping @Sendable (String, Event) -> Void, _ task: PartitionTask,
    to next: any Observer<Event>
  ) {
    self.name = name
    self.tap = tap
    self.task = task
    self.next = next
  }

  func next(_ event: Event) {
    if task.isLast || !event.isEndOfPoll { task.perform { [tap, name] in tap(name, event) } }
    next.next(event)
  }

  func fail(_ error: any Error) { next.fail(error) }
  func complete() { next.complete() }
}
