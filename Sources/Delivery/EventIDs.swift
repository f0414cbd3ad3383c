/// Gives each event that a sink delivers an id of its own, by which a receiver detects repeats.
///
/// `<pipeline>/<sink>/<turn>-<index>`. The turn is its time in milliseconds, so that another run makes other ids.
package struct EventIDs {
  private let prefix: String
  private var turn: Int64 = 0
  private var index = 0
  /// The beginning of the ids of the turn.
  private var beginning: String

  package init(pipeline: String, sink: String) {
    prefix = "\(pipeline)/\(sink)/"
    beginning = prefix + "0-"
  }

  /// The next id, in a turn that began at a time of day.
  package mutating func next(at now: Double) -> String {
    let milliseconds = Int64(min(max(0, now * 1000), 9e15))
    // A wall clock may be set back, and turns may be shorter than a millisecond.
    if milliseconds > turn {
      turn = milliseconds
      index = 0
      beginning = "\(prefix)\(turn)-"
    }
    defer { index += 1 }
    return beginning + String(index)
  }
}
