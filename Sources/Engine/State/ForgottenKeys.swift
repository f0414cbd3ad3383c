/// The keys that a step has forgotten because there were more than its bound.
public struct ForgottenKeys: Sendable {
  private let meter: Meter
  private let log: NodeLog
  private let group: TaskGroup?

  init(_ meter: Meter, _ log: NodeLog, _ group: TaskGroup?) {
    (self.meter, self.log, self.group) = (meter, log, group)
  }

  /// Notes one; the first of a run is reported.
  public func note(beyond bound: Int) {
    guard meter.countForgotten() == 1 else { return }
    let message = "there are more than \(bound) keys: those not seen for longest are forgotten from now on"
    if group?.isFirst(message) ?? true { log.warning(message) }
  }
}
