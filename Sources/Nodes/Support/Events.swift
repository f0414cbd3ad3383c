import Engine
import Language

extension Event {
  /// The event without the text it was read from, to store it beyond its turn.
  var detached: Event { isEndOfPoll ? self : Event(value.detach(), poll) }
}

/// What is wrong with an event, as a sentence.
struct StepError: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) { self.description = description }
}
