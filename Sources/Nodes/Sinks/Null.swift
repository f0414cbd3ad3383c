import Engine
import Language

/// `null`: discards all events, for tests and measurements.
package let null = NodeSpec(
  "null", "discard every event; the statistics still count them",
  examples: [.init("nowhere", "null:")],
  .sink { _, _ in Null() })

private final class Null: Sink {
  func take(_ event: Event) throws {}
}
