import Language
import Synchronization
import System

/// The counters of a node; written by the lane, read from any thread.
public final class Meter: Sendable {
  public let name: String
  public let kind: String
  private let taken = Atomic<Int>(0)
  private let sent = Atomic<Int>(0)
  private let dropped = Atomic<Int>(0)
  private let failed = Atomic<Int>(0)
  /// The number of measured events, and their time.
  private let sampled = Atomic<Int>(0)
  private let sampledTime = Atomic<Int>(0)
  /// The time of everything else: ends of polls, alarms.
  private let otherTime = Atomic<Int>(0)

  public init(name: String, kind: String) {
    self.name = name
    self.kind = kind
  }

  public var eventsIn: Int { taken.load(ordering: .relaxed) }
  public var eventsOut: Int { sent.load(ordering: .relaxed) }
  public var eventsDropped: Int { dropped.load(ordering: .relaxed) }
  public var errors: Int { failed.load(ordering: .relaxed) }

  /// The time spent in the node itself, estimated from the measured events.
  public var seconds: Double {
    let sampled = sampled.load(ordering: .relaxed)
    let other = Double(otherTime.load(ordering: .relaxed))
    if sampled == 0 { return other / 1e9 }
    let mean = Double(sampledTime.load(ordering: .relaxed)) / Double(sampled)
    return (mean * Double(eventsIn) + other) / 1e9
  }

  // One thread writes, so a load and a store suffice, which cost no more than plain ones.
  @inline(__always) func countIn(_ number: Int = 1) {
    taken.store(taken.load(ordering: .relaxed) &+ number, ordering: .relaxed)
  }
  @inline(__always) func countOut(_ number: Int = 1) {
    sent.store(sent.load(ordering: .relaxed) &+ number, ordering: .relaxed)
  }
  /// Counts events that were dropped: no room, or not to be sent.
  public func countDropped(_ number: Int = 1) {
    dropped.add(number, ordering: .relaxed)
  }
  /// Counts an error.
  public func countError() {
    failed.add(1, ordering: .relaxed)
  }

  func countSample(_ nanoseconds: Int) {
    sampled.store(sampled.load(ordering: .relaxed) &+ 1, ordering: .relaxed)
    sampledTime.store(sampledTime.load(ordering: .relaxed) &+ nanoseconds, ordering: .relaxed)
  }

  func countTime(_ nanoseconds: Int) {
    otherTime.store(otherTime.load(ordering: .relaxed) &+ nanoseconds, ordering: .relaxed)
  }
}

/// The statistics of a node, as `--stats` shows them; nil where a column does not apply.
public struct NodeStatistics: Sendable {
  public let name: String
  public let kind: String
  public let eventsIn: Int?
  public let eventsOut: Int?
  public let dropped: Int
  public let errors: Int
  public let seconds: Double?
}

extension PipelineRun {
  /// The statistics of all nodes, from sources to sinks; may be called at any time, from any thread.
  public var statistics: [NodeStatistics] {
    let sourceCount = plan.sources.count
    return meters.enumerated().map { index, meter in
      let isSource = index < sourceCount
      return NodeStatistics(
        name: meter.name, kind: meter.kind, eventsIn: isSource ? nil : meter.eventsIn,
        eventsOut: meter.eventsOut, dropped: meter.eventsDropped + (isSource ? droppedDeliveries(index) : 0),
        errors: meter.errors, seconds: isSource ? nil : meter.seconds)
    }
  }
}
