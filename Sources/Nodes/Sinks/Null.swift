import Engine
import Language

/// `null`: lets go of everything, for trying and measuring.
let null = NodeSpec(
  "null", "let go of every event; the statistics still count them",
  examples: [.init("nowhere", "null:")],
  .sink { _, _ in Null() })

private final class Null: Sink {
  func take(_ event: Event) throws {}
}
