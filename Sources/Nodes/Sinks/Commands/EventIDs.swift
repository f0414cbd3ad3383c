/// Gives each event that a sink acts on an id of its own, by which a receiver can tell a repeat from something new.
///
/// `<pipeline>/<sink>/<turn>-<index>`, the turn by its time in milliseconds, so that another run gives other ids.
struct EventIDs {
  private let prefix: String
  private var turn: Int64 = 0
  private var index = 0

  init(pipeline: String, sink: String) { prefix = "\(pipeline)/\(sink)/" }

  /// The next id in a turn that began at a time of day.
  mutating func next(at now: Double) -> String {
    let milliseconds = Int64(min(max(0, now * 1000), 9e15))
    // A wall clock may be set back, and turns may be shorter than a millisecond.
    if milliseconds > turn {
      turn = milliseconds
      index = 0
    }
    defer { index += 1 }
    return "\(prefix)\(turn)-\(index)"
  }
}
