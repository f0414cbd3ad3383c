import Language
import Reactive
import Synchronization
import System

/// The counters of a node, and its taps; written by the lane, read from any thread.
public final class Meter: Sendable {
  public let name: String
  public let kind: String
  /// Whether taps are attached: while there are none, an event costs one load and one branch.
  private let isTapped = Atomic<Bool>(false)
  private let taps = Locked<[(tap: EventTap, pipeline: String)]>([])
  private let taken = Atomic<Int>(0)
  private let sent = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)
  private let failed = Atomic<Int>(0)
  private let abandoned = Atomic<Int>(0)
  /// The events that failed and are nowhere.
  private let gone = Atomic<Int>(0)
  private let forgottenKeys = Atomic<Int>(0)
  private let hurried = Atomic<Int>(0)
  private let old = Atomic<Int>(0)
  /// The number of measured events, and their time.
  private let sampled = Atomic<Int>(0)
  private let sampledTime = Atomic<Int>(0)
  /// The time of everything else: ends of polls, alarms.
  private let otherTime = Atomic<Int>(0)
  /// The number of events that a source has still to read, as far as it knows; negative for unknown.
  private let unread = Atomic<Int>(-1)
  /// The timer of a step.
  private let alarm = Locked<Alarm?>(nil)
  private let lookup = Locked<NodeStatus.Wait?>(nil)
  private let failing = Locked<NodeStatus.Failing?>(nil)
  /// The counters of the same node in the tasks of a partition, each written by one thread at a time.
  private let parts = Locked<[Meter]>([])

  public init(name: String, kind: String) {
    self.name = name
    self.kind = kind
  }

  public var eventsIn: Int { taken.load(ordering: .relaxed) + sum(\.eventsIn) }
  public var eventsOut: Int { sent.load(ordering: .relaxed) + sum(\.eventsOut) }
  /// Without those of tasks, which sinks do not have.
  var sentHere: Int { sent.load(ordering: .relaxed) }
  public var eventsDropped: Int { dropped.load(ordering: .relaxed) + sum(\.eventsDropped) }
  public var errors: Int { failed.load(ordering: .relaxed) + sum(\.errors) }
  public var lost: Int { gone.load(ordering: .relaxed) + sum(\.lost) }
  public var forgotten: Int { forgottenKeys.load(ordering: .relaxed) + sum(\.forgotten) }
  public var early: Int { hurried.load(ordering: .relaxed) + sum(\.early) }
  public var stale: Int { old.load(ordering: .relaxed) }
  public var givenUp: Int { abandoned.load(ordering: .relaxed) }

  /// The events that a source knows of and has not read yet; nil where it cannot know.
  public var backlog: Int? {
    let unread = unread.load(ordering: .relaxed)
    return unread < 0 ? nil : unread
  }

  /// Notes how many events a source has still to read.
  public func noteBacklog(_ events: Int) { unread.store(events, ordering: .relaxed) }

  /// When a step emits what it holds, by the scheduler's clock; nil while it waits for nothing.
  var due: Instant? {
    let others = parts.withLock { $0 }.compactMap(\.due)
    return (others + [alarm.withLock { $0 }?.deadline].compactMap { $0 }).min()
  }

  /// The wait of the events of a step.
  var wait: NodeStatus.Wait? { lookup.withLock { $0 } }

  public func note(_ wait: NodeStatus.Wait?) { lookup.withLock { $0 = wait } }

  /// The rows that it fails on.
  var failingRows: NodeStatus.Failing? { failing.withLock { $0 } }

  func note(_ rows: NodeStatus.Failing?) { failing.withLock { $0 = rows } }

  func watch(_ timer: Alarm) { alarm.withLock { $0 = timer } }

  /// The counters of this node in one more task.
  func part() -> Meter {
    let part = Meter(name: name, kind: kind)
    parts.withLock { $0.append(part) }
    return part
  }

  private func sum(_ counter: (Meter) -> Int) -> Int {
    parts.withLock { parts in parts.reduce(0) { $0 + counter($1) } }
  }

  /// The time spent in the node itself, estimated from the measured events.
  public var seconds: Double {
    let sampled = sampled.load(ordering: .relaxed)
    let tasks = parts.withLock { parts in parts.reduce(0) { $0 + $1.seconds } }
    let other = Double(otherTime.load(ordering: .relaxed))
    if sampled == 0 { return tasks + other / 1e9 }
    let mean = Double(sampledTime.load(ordering: .relaxed)) / Double(sampled)
    return tasks + (mean * Double(taken.load(ordering: .relaxed)) + other) / 1e9
  }

  // One thread writes, so a load and a store suffice, which cost no more than plain ones.
  @inline(__always) func countIn(_ number: Int = 1) {
    taken.store(taken.load(ordering: .relaxed) &+ number, ordering: .relaxed)
  }
  @inline(__always) func countOut(_ number: Int = 1) {
    sent.store(sent.load(ordering: .relaxed) &+ number, ordering: .relaxed)
  }
  /// Counts events that were dropped, for lack of room or since they are not to be sent, and returns how many were.
  @discardableResult public func countDropped(_ number: Int = 1) -> Int {
    dropped.add(number, ordering: .relaxed).newValue
  }
  /// Counts an error.
  public func countError() {
    failed.add(1, ordering: .relaxed)
  }

  /// Counts an event that is lost by an error.
  public func countLost() { gone.add(1, ordering: .relaxed) }

  /// Counts events that were not written, of which so many count as sent; one of them is reported as an error.
  func countUnwritten(_ events: Int, sent number: Int) {
    countOut(-number)
    failed.add(events - 1, ordering: .relaxed)
    gone.add(events, ordering: .relaxed)
  }

  /// Counts a key that was forgotten for lack of room, and returns how many were.
  func countForgotten() -> Int { forgottenKeys.add(1, ordering: .relaxed).newValue }

  /// Counts what was sent before its time for lack of room, and returns how much was.
  func countEarly() -> Int { hurried.add(1, ordering: .relaxed).newValue }

  /// Counts events that an old response was used for.
  public func countStale(_ number: Int) { old.add(number, ordering: .relaxed) }

  /// Counts a delivery that was given up after its last attempt, which is an error too.
  public func countGivenUp() {
    abandoned.add(1, ordering: .relaxed)
  }

  func countSample(_ nanoseconds: Int) {
    sampled.store(sampled.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    sampledTime.store(sampledTime.load(ordering: .relaxed) &+ nanoseconds, ordering: .relaxed)
  }

  func countTime(_ nanoseconds: Int) {
    otherTime.store(otherTime.load(ordering: .relaxed) &+ nanoseconds, ordering: .relaxed)
  }

  // MARK: - Taps

  func attach(_ tap: EventTap, of pipeline: String) {
    taps.withLock { taps in
      if !taps.contains(where: { $0.tap === tap }) { taps.append((tap, pipeline)) }
      isTapped.store(true, ordering: .relaxed)
    }
    for part in parts.withLock({ $0 }) { part.attach(tap, of: pipeline) }
  }

  func detach(_ tap: EventTap) {
    taps.withLock { taps in
      taps.removeAll { $0.tap === tap }
      isTapped.store(!taps.isEmpty, ordering: .relaxed)
    }
    for part in parts.withLock({ $0 }) { part.detach(tap) }
  }

  /// Gives what passes the node to its taps, if any.
  @inline(__always) func show(_ event: Event, on lane: Lane) {
    if isTapped.load(ordering: .relaxed) { record(event, on: lane) }
  }

  /// Apart, so that what is done for each event stays small.
  @inline(never) private func record(_ event: Event, on lane: Lane) {
    // A poll ends in all tasks of a partition, and is shown once.
    if let task = lane.task, event.isEndOfPoll, !task.isLast { return }
    let time = lane.now
    for entry in taps.withLock({ $0 }) {
      guard let task = lane.task else {
        entry.tap.record(event, at: time, of: entry.pipeline, name)
        continue
      }
      // In the order of the partition's output, whichever thread runs the task.
      task.perform { [name] in entry.tap.record(event, at: time, of: entry.pipeline, name) }
    }
  }
}
