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
    do {
      for step in below {
        nodes.append(try node(step, in: tasks, key, of: own, isGivenSnapshots: isWhole))
        isWhole = isWhole && step.spec.emitsWholePolls
      }
    } catch {
      for task in tasks { task.release() }
      throw error
    }
    let lanes = min(options.lanes, count)
    let streams = tasks.enumerated().map { number, task in
      nodes.reduce(tapped(task.events, plan.name, in: task)) { events, node in
        let (step, context) = node.parts[number]
        return tapped(
          events.through(step, context, node.errors, ending: ending), node.name, in: task)
      }
    }
    // Streams are connected in the order of the way of an event, but attached in the order of who reads them.
    let slot = PartitionSlot(tasks)
    lane.add(slot)
    return Observable { [lane, schedulers] downstream, subscription in
      let child = subscription.child()
      let partition = Partition(
        by: Evaluation(key, on: lane), tasks, isDirect: lanes <= 1, to: downstream, in: child, lane, meter,
        errors,
        // In virtual time everything runs on one thread.
        threads: lanes > 1 && lane.waiting == .acrossTurns ? TaskThreads(lanes - 1, of: schedulers) : nil)
      for (task, stream) in zip(tasks, streams) {
        // The end of one task is not that of the others.
        if let output = task.output { stream.attach(output, in: child.child()) }
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
    guard let make = (plan.spec.maker as? Maker)?.step else { return node }
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
  private let tasks: [PartitionTask]

  init(_ tasks: [PartitionTask]) { self.tasks = tasks }

  func endTurn() { partition.value?.endTurn() }

  func end() {
    partition.value?.end()
    // Those of a partition that was never attached hold their lanes too.
    for task in tasks { task.release() }
    partition.value = nil
  }
}

/// A step below a partition, once for each task.
private struct TaskNode {
  let name: String
  let errors: ErrorReporter
  var parts: [(step: MadeStep, context: StepContext)]
}
