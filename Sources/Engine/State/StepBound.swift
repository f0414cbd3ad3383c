/// The bound of a step: what it does with more than it may hold is counted, and reported once in a run.
public struct StepBound: Sendable {
  private let meter: Meter
  private let log: NodeLog
  private let group: TaskGroup?

  init(_ meter: Meter, _ log: NodeLog, _ group: TaskGroup?) {
    (self.meter, self.log, self.group) = (meter, log, group)
  }

  /// Notes a key that was forgotten.
  public func noteForgotten(beyond bound: Int) {
    guard meter.countForgotten() == 1 else { return }
    report("there are more than \(bound) keys: those not seen for longest are forgotten from now on")
  }

  /// Notes that something was sent before its time.
  public func noteEarly(beyond bound: Int) {
    guard meter.countEarly() == 1 else { return }
    report(
      "no more may wait than bound allows, \(bound): what has waited longest is sent early from now on")
  }

  /// Notes an event that was dropped.
  public func noteDropped(_ which: String, beyond bound: Int) {
    guard meter.countDropped() == 1 else { return }
    report("there are more than \(bound) waiting events: the \(which) are dropped from now on")
  }

  private func report(_ message: String) { if group?.isFirst(message) ?? true { log.warning(message) } }
}
