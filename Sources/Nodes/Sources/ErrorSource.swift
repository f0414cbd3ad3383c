import Engine
import Language

/// `errors`: what goes wrong in the pipeline itself.
package let errorSource = NodeSpec(
  "errors",
  "the errors of the pipeline itself: sources that fail and recover, events and deliveries that fail",
  details: """
    Each event is {type, node, at, message, details}: type is failed, warning (what waits, is skipped, or is \
    forgotten) or recovered, node the name of a source, step or \
    sink, message what the log says, and details further lines of it, as the event that failed. A source that fails is \
    reported once, then at growing intervals, and when it recovers; of events that a node fails on, the first three in a \
    minute, then their number.

    It need not be declared: `from: errors` reads it, unless the pipeline has a source or stream of that name.

    What reads it cannot feed it: errors of steps and sinks below it are only logged. Secrets are redacted. It is no \
    journal: what is waiting when the process is killed is lost, beyond `buffer` errors are dropped, and what fails \
    while the pipeline ends is only logged. It ends when all other sources have ended.
    """,
  takesMapping: true,
  examples: [
    .init("as it is declared, where it needs another name", "errors")
  ],
  .errors)
