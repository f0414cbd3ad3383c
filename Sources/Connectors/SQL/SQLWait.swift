import Engine
import System

/// The wait of a sink for its database, which the log and the status show.
final class SQLWait {
  private let context: SinkContext
  private let name: String
  /// When the database could first not be written to; nil while it can.
  private var since: Double?
  /// How many batches wait.
  private var count = 0
  /// Whether the end of the run has cut the sink off: what is in the outbox is left to the next one.
  private(set) var isCutOff = false

  init(_ context: SinkContext, _ name: String) { (self.context, self.name) = (context, name) }

  /// Does something with the database, and waits while that is not possible.
  func through<Result>(
    _ count: Int, _ action: () throws(SQLFailure) -> Result
  ) throws(SQLFailure) -> Result {
    self.count = count
    var waited: Double?
    while true {
      do throws(SQLFailure) {
        let result = try action()
        if since != nil { context.log.notice("\(name) can be written to again") }
        since = nil
        context.meter.note(nil)
        return result
      } catch {
        guard error.mayPass else { throw error }
        if waited.map({ $0 > 60 }) ?? true {
          context.log.error("\(error); the pipeline waits until it can be written to")
          context.meter.countError()
          waited = 0
        }
        note("\(error)")
        if context.lane.world.pause(0.5, context.stop) {
          isCutOff = true
          throw error
        }
        waited = waited.map { $0 + 0.5 }
      }
    }
  }

  /// Reports that a statement is not answered, again and again while that is so.
  func noteSilence() {
    context.log.notice("\(name) does not answer; the pipeline waits")
    note("\(name) does not answer")
  }

  private func note(_ reason: String) {
    let now = context.lane.world.wallClock()
    since = since ?? now
    context.meter.note(
      NodeStatus.Wait(
        events: count, request: "rows", reason: reason, since: since ?? now, until: now + 0.5,
        isFailing: true))
  }
}
