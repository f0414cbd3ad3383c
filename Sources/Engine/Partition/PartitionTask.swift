import JSON
import Language
import Reactive
import System

/// A task of a partition: the steps below it once, for the keys that belong to it.
///
/// `@unchecked Sendable` with its reason: it is touched by one thread at a time. While the partition runs its tasks
/// that is a worker, which the lane waits for; the lock of that hand-over orders their accesses.
final class PartitionTask: @unchecked Sendable {
  /// An output of a task: an event, or something that must happen on the lane in the same order.
  enum Item: Sendable {
    case event(Event)
    case action(@Sendable () -> Void)
  }

  private static let sampling = 64

  let lane: Lane
  let timers: TaskScheduler
  /// Whether it is the last one of its partition, which stands for all of them at the end of a poll.
  let isLast: Bool
  /// The end of the task's steps.
  var output: (any Observer<Event>)?
  /// The first of its steps.
  var first: any Observer<Event> = Nothing()
  var steps: [StepObserver] = []
  /// The events that it is to handle, with their positions among those of all tasks.
  var pack: [(position: Int, event: Event)] = []
  /// The position of the event that the present outputs come from.
  var position = 0
  private(set) var isBuffering = false
  private var outputs: [(position: Int, item: Item)] = []
  private var count = 0

  init(of main: Lane, isLast: Bool) {
    self.isLast = isLast
    timers = TaskScheduler(beside: main.scheduler)
    lane = Lane(ofTaskOf: main, on: timers)
    lane.belong(to: self)
  }

  /// The events that it is given.
  var events: Observable<Event> {
    Observable { [self] observer, _ in first = observer }
  }

  /// Handles an event at once; the task has the time of the turn.
  @inline(__always)
  func take(_ event: Event, isTimed: Bool) {
    if isTimed { lane.isTimed = true }
    first.next(event)
    if isTimed { lane.isTimed = false }
  }

  /// Collects outputs from now on, for `takeOutputs`.
  func bufferOutputs() { isBuffering = true }

  func runPack() {
    for (position, event) in pack {
      self.position = position
      count &+= 1
      lane.isTimed = count % Self.sampling == 1
      first.next(event)
    }
    lane.isTimed = false
    // Here, so that threads share the work of releasing the events too.
    pack.removeAll(keepingCapacity: true)
  }

  func prepareEnd(of poll: Poll) {
    lane.followClock()
    for step in steps { step.prepareEnd(of: poll) }
  }

  func end(_ poll: Poll) {
    position = .max
    first.next(.end(of: poll))
  }

  func put(_ event: Event) { outputs.append((position, .event(event))) }

  /// Does something on the lane, in the order of the outputs.
  func perform(_ action: @escaping @Sendable () -> Void) {
    if isBuffering { outputs.append((position, .action(action))) } else { action() }
  }

  /// Ends the holding back, and returns what was held.
  func takeOutputs() -> [(position: Int, item: Item)] {
    isBuffering = false
    defer { outputs = [] }
    return outputs
  }

  /// Releases the steps of the task.
  func release() {
    (first, steps, output) = (Nothing(), [], nil)
    lane.belong(to: nil)
  }

  private final class Nothing: Observer {
    func next(_ event: Event) {}
    func fail(_ error: any Error) {}
    func complete() {}
  }
}

/// The place of a task among those of its partition.
struct TaskPlace: Sendable {
  let number: Int
  let count: Int
  /// The expression that the events are divided by.
  let key: String
  /// Whether the step has another key, of which each has one value of the partition's.
  let hasFinerKey: Bool
  let group: TaskGroup
}

/// The part of one step that the tasks of a partition share.
public final class TaskGroup: Sendable {
  private let tallies = LaneLocal<[String: [Int]]>([:])
  private let reported = Locked<Set<String>>([])

  init() {}

  /// Adds numbers to those of the same name; only in `prepareEnd`, when no task runs.
  public func add(_ numbers: [Int], to name: String) {
    let sum = tallies.value[name] ?? []
    tallies.value[name] = numbers.enumerated().map { $0 < sum.count ? sum[$0] + $1 : $1 }
  }

  /// The sum of what the tasks have added.
  public func sum(of name: String) -> [Int]? { tallies.value[name] }

  /// Begins new sums with these names.
  public func clear(_ name: String) { tallies.value[name] = nil }

  /// Whether this is the first task to say so, for messages that all of them have.
  public func isFirst(_ message: String) -> Bool { reported.withLock { $0.insert(message).inserted } }
}

/// Which task a key belongs to: the same on every machine and in every version, as state is divided by it.
package final class KeyHash {
  private let writer = Writer(.compact)
  private let bytes = Output(capacity: 1 << 8)

  package init() {}

  package func task(of key: Value, among tasks: Int) -> Int {
    switch key.kind {
    case .string, .null, .boolean:
      bytes.removeAll()
      writer.write(key, to: bytes)
      return bytes.withBytes { KeyHash.task($0, among: tasks) }
    // Equal numbers may be written differently, and so may objects.
    case .number, .array, .object: return KeyHash.task(of: key.keyBytes, among: tasks)
    }
  }

  static func task(of bytes: [UInt8], among tasks: Int) -> Int {
    bytes.withUnsafeBufferPointer { task($0, among: tasks) }
  }

  /// Mixed, since the low bits of the hash are weak.
  private static func task(_ bytes: UnsafeBufferPointer<UInt8>, among tasks: Int) -> Int {
    var hash = StableHash(bytes).value
    hash = (hash ^ hash >> 32) &* 0xd6e8_feb8_6659_fd93
    return Int((hash >> 33) % UInt64(tasks))
  }
}
