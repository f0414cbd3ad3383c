import Engine
import Language

/// Reactive has an `Event` too, the one of `materialize`; here it is always what flows through a pipeline.
typealias Event = Engine.Event

extension Event {
  /// The event without the text it was read from, to store it beyond its turn.
  var detached: Event { Event(value.detach(), poll) }
}

/// What is wrong with an event, as a sentence.
struct StepError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
