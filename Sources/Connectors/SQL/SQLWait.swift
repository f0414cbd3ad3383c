import Engine
import System

/// The wait of a sink for its database, which the log and the status show.
final class SQLWait {
  private let context: SinkContext
  private let name: String
  /// When the database could first not be written to; nil while it can.
  private var since: Double?
  /// How many batches wait.
  var count = 0

  init(_ context: SinkContext, _ name: String) { (self.context, self.name) = (context, name) }

  /// The database can be written to.
  func end() {
    if since != nil { context.log.notice("\(name) can be written to again") }
    since = nil
    context.meter.note(nil)
  }

  /// Reports that a statement is not answered, again and again while that is so.
  func noteSilence() {
    context.log.notice("\(name) does not answer; rows wait")
    note("\(name) does not answer")
  }

  func note(_ reason: String) {
    let now = context.lane.world.wallClock()
    since = since ?? now
    context.meter.note(
      NodeStatus.Wait(
        events: count, request: "rows", reason: reason, since: since ?? now, until: now + 0.5,
        isFailing: true))
  }
}
