import Engine
import Language

/// `errors`: what goes wrong in the pipeline itself.
///
/// The run sends them by an `ErrorFeed`,
/// so there is nothing to read.
package let errorSource = NodeSpec(
  "errors",
  "the errors of the pipeline itself: sources that fail and recover, events and deliveries that fail",
  reference: .init(PackageResources.errors_md),
  takesMapping: true,
  state: "the outages that have begun and are not over",
  hasDurableState: true,
  .errors)
