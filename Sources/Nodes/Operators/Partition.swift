import Engine
import Language

/// `partition`: divides the stream by a key among tasks, which have their own of each step below it.
package let partition = NodeSpec(
  "partition", "run the steps below it in several tasks, each with the events of its keys",
  reference: .init(PackageResources.partition_md),
  options: AnyOption.list(PartitionOptions.key, PartitionOptions.tasks, PartitionOptions.order),
  shorthand: "by", emitsWholePolls: true,
  partitioning: .partition(
    by: PartitionOptions.key, into: PartitionOptions.tasks, order: PartitionOptions.order),
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
