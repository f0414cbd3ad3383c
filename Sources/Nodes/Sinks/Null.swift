import Engine
import Language

/// `null`: discards all events, for tests and measurements.
package let null = NodeSpec(
  "null", "discard every event; the statistics still count them",
  reference: .init(PackageResources.null_md),
  .sink { _, _ in Null() })

private final class Null: Sink {
  func take(_ event: Event) throws {}
}
