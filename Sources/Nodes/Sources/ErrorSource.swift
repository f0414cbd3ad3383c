import Engine
import Language

/// `errors`: what goes wrong in the pipeline itself.
package let errorSource = NodeSpec(
  "errors",
  "the errors of the pipeline itself: sources that fail and recover, events and deliveries that fail",
  details: """
    Each event is {type, node, at, message, details, failing}: node is the name of a source, step or sink, failing how \
    many sources, entries of lists, and nodes with such rows fail now.

    The outage of a source is one event of type failed, with since and the kind of its reason (unreachable, timeout, \
    status, format, login page, waiting, too old or other), one of type changed whenever that kind changes, and one recovered, \
    also in a later run. An entry of a list has outages of its own, with entry; more than 20 entries that fail within ten \
    seconds are one outage, with their number in entries, reported again when it has doubled. A poll that is put off, \
    since a budget is spent or the server asks for it, has failed when that has lasted for three periods.

    A step or sink that fails on rows of a poll has outages like those of a source: one for each entry of a list, otherwise \
    one for the node. message has the first of the rows and why; kind is rows, or lost rows when no row is left that \
    passes or rows fail that passed before. recovered comes with the first poll without such a row.

    Of what else goes wrong, message is what the log says, and details are further lines of it, as the event that failed: \
    type is failed, or warning for what waits, is skipped, or is forgotten. Of events that a node fails on, and that are \
    no rows of a poll, the first three in a minute are reported, then their number.

    It need not be declared: `from: errors` reads it, unless the pipeline has a source or stream of that name.

    What reads it cannot feed it: errors of steps and sinks below it are only logged. Secrets are redacted. It is no \
    journal but for outages: other errors that wait when the process is killed are lost, beyond `buffer` they are dropped, \
    and what fails while the pipeline ends is only logged. It ends when all other sources have ended.
    """,
  takesMapping: true,
  state: "the outages that have begun and are not over",
  hasDurableState: true,
  examples: [
    .init("as it is declared, where it needs another name", "errors")
  ],
  .errors)
