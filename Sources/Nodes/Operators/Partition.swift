import Engine
import Language

/// `partition`: divides the stream by a key among tasks, which have their own of each step below it.
let partition = NodeSpec(
  "partition", "run the steps below it in several tasks, each with the events of its keys",
  details: """
    Above it there is one task; below it there are `into` of them. Each has the steps below with a state of its own, \
    and the events whose key, `by`, belongs to it. What comes out of the last step is one stream again: it has the \
    order of the source, so every key has its order too. What steps send at the end of a poll comes in the order of \
    the source's rows, and what belongs to none, as rows that were removed, task by task; so does what timers send at one \
    instant.

    `flow run --lanes N` runs the tasks on N threads. That changes nothing in what comes out, nor does it change when \
    a run is stopped, killed or continued with another N.

    A step below that goes by a key must go by that of the partition: one without a key, and one that needs the whole \
    stream (sort, take, join and others), stands above it, or in a stream behind this one, where the parts are together \
    again. Behind `changes`, whose outputs have the key as `.key`, that is the key. Where each key of a step belongs to \
    one key of the partition, as the orders of a customer do, say `key_within: true`.

    Every task learns of every end of a poll. Limits such as `bound` and `max_keys` count for each task. A sudden loss \
    that `changes` looks for is one of all rows, wherever they are.

    Adding or removing a partition, or another `into`, keeps the state: it is divided anew at the next start, by key. \
    Only that of a step with `key_within: true` is discarded, when it is divided among more than one task.
    """,
  options: AnyOption.list(PartitionOptions.key, PartitionOptions.tasks),
  shorthand: "by", keepsSnapshots: true,
  division: .partition(by: PartitionOptions.key, into: PartitionOptions.tasks),
  examples: [
    .init(
      "each key in its task", "partition: { by: .id, into: 4 }",
      input: #"0s {"id": "a"}\#n0s {"id": "b"}\#n1s {"id": "a"}"#,
      output: #"0s {"id":"a"}\#n0s {"id":"b"}\#n1s {"id":"a"}"#)
  ],
  .step { _, _ in Whole() })

private enum PartitionOptions {
  static let key = Option.required(
    "by", .expression, "the key: events with the same one are in the same task", example: ".id")
  static let tasks = Option("into", .integer(1...32), default: "16", "the number of tasks")
}

/// The step by itself: the engine divides the stream where there are steps below.
private final class Whole: Step {
  func take(_ event: Event, _ out: Downstream) { out.send(event) }
}
