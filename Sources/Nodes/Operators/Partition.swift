import Engine
import Language

/// `partition`: divides the stream by a key among tasks, which have their own of each step below it.
package let partition = NodeSpec(
  "partition", "run the steps below it in several tasks, each with the events of its keys",
  details: """
    Events whose key, `by`, belongs to one task pass through the steps below in that task, which has their state for its \
    keys. Behind the last of them there is one stream again, in the order of the source. What steps send at the end of a \
    poll comes in the order of the source's rows; what belongs to no row, such as rows that were removed, and what timers \
    send at one instant, comes task by task.

    `flow run --lanes N` runs the tasks on N threads. The number of threads changes nothing in what comes out, also \
    where a run is killed and continues with another one. It pays where steps are heavy (large expressions, `changes` of \
    large rows) and cores are idle; what is above the partition and the sinks keep one thread.

    In a cluster (flow run --cluster) each task is one by itself, on whichever machine, if the pipeline is one chain that \
    ends in nats, http, exec or null. Then the events of each key keep their order, and `order: source` keeps all tasks \
    in one place, as in one process, for the order of all. So does a `changes` of polls with `sudden_loss`, which counts \
    the rows of all tasks.

    A step below that goes by a key must go by that of the partition. Behind `changes`, whose outputs have the key as \
    `.key`, that is `.key`; behind `map: { code: .id }` it is `.code`. Where each key of a step belongs to one key of the \
    partition, as each order belongs to one customer, say `key_within: true`. A step that needs the whole stream (`sort`, \
    `take`, `join` and others) belongs above the partition, or into a stream that reads this one.

    Limits such as `bound` and `max_keys` count for each task. The guard of `changes` against a sudden loss counts the \
    rows of all tasks.

    Adding or removing a partition, or changing `into`, keeps the state: at the next start it is divided anew by key, \
    which is reported in one line. Only the state of a step with `key_within: true` is discarded then, unless one task is left.
    """,
  options: AnyOption.list(PartitionOptions.key, PartitionOptions.tasks, PartitionOptions.order),
  shorthand: "by", emitsWholePolls: true,
  partitioning: .partition(
    by: PartitionOptions.key, into: PartitionOptions.tasks, order: PartitionOptions.order),
  examples: [
    .init(
      "each key in its task", "partition: { by: .id, into: 4 }",
      input: #"0s {"id": "a"}\#n0s {"id": "b"}\#n1s {"id": "a"}"#,
      output: #"0s {"id":"a"}\#n0s {"id":"b"}\#n1s {"id":"a"}"#),
    .init(
      "all events in the order of the source, also in a cluster",
      "partition: { by: .id, into: 4, order: source }",
      input: #"0s {"id": "b"}\#n0s {"id": "a"}"#,
      output: #"0s {"id":"b"}\#n0s {"id":"a"}"#),
  ],
  .step { _, _ in Whole() })

private enum PartitionOptions {
  static let key = Option.required(
    "by", .expression, "the key: events with the same one are in the same task", example: ".id")
  static let tasks = Option("into", .integer(1...32), default: "16", "the number of tasks")
  static let order = Option(
    "order", OptionType<PartitionOrder>.choice(), default: "key",
    "what keeps the order of the source in a cluster: the events of each key, or all of them, on one machine then"
  )
}

/// The step by itself: the engine divides the stream where there are steps below.
private final class Whole: Step {
  func take(_ event: Event, _ out: Downstream) { out.send(event) }
}
