import Engine
import Language

/// What a sink that needs the network does with its events where there is none, as in a replay: it lets them go by, says
/// so once, and at the end how many they were.
struct Unsent {
  private let log: NodeLog
  private let verb: String
  private var count = 0

  /// Nil where there is a network, or nothing would be sent anyway; `verb` is what is not done: `sent`.
  init?(_ context: SinkContext, verb: String) {
    if context.isDryRun || context.lane.world[WebAccess.self] != nil { return nil }
    (log, self.verb) = (context.log, verb)
  }

  /// The error with which the next event is let go.
  mutating func next() -> NotSent {
    if count == 0 { log.notice("in a replay nothing is \(verb)") }
    count += 1
    return NotSent()
  }

  /// Tells how many there were.
  mutating func tell() {
    if count > 0 { log.notice("\(count) \(count == 1 ? "event was" : "events were") not \(verb)") }
    count = 0
  }
}
