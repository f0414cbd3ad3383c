/// A step's need of the stream: whether each task of a partition can have a step of its own.
public enum Partitioning: Sendable {
  /// All events together, in their order.
  case whole
  /// Each event by itself, which it passes on as it is, or not at all.
  case each
  /// Each event by itself, which it makes another one of, by this expression.
  case reshaped(by: Option<Expression>)
  /// The events of a key. `sends` is the key as its outputs have it, nil where they have it as its inputs do, empty
  /// where they need not have it; `unless` says what its options ask for besides, and `countsPolls` whether they compare
  /// what all tasks have of a poll.
  case byKey(
    Option<Expression>, sends: String? = nil, unless: @Sendable (Options) -> String? = { _ in nil },
    countsPolls: @Sendable (Options) -> Bool = { _ in false })
  /// It divides the stream itself.
  case partition(by: Option<Expression>, into: Option<Int>, order: Option<PartitionOrder>)
}

/// The order of what comes out below a partition.
public enum PartitionOrder: String, CaseIterable, Sendable {
  /// The source's within a key; in one process, the source's overall.
  case key
  /// The source's for all events.
  case source
}

extension NodeSpec {
  /// Whether it divides a stream among tasks.
  var isPartition: Bool { if case .partition = partitioning { true } else { false } }

  /// Whether it sends each event as it is, or not at all.
  package var passesEach: Bool { if case .each = partitioning { true } else { false } }

  /// Whether it holds nothing: what it sends is made of the event that it is taking.
  package var handlesEachAlone: Bool {
    switch partitioning {
    case .each, .reshaped: true
    case .whole, .byKey, .partition: false
    }
  }

  /// The name of the option whose outputs it sends.
  package var sentOption: String? {
    if case .reshaped(let option) = partitioning { option.name } else { nil }
  }

  /// The key of a step by key as its outputs have it with these options, nil where they have it as its inputs do, empty
  /// where they need not have it.
  package func sentKey(_ options: Options) -> String? {
    guard case .byKey(_, let sends?, _, _) = partitioning else { return nil }
    // With options by which they have other members, as those of `remind` with `pass`, they have no key.
    let members = shape(options, nil)?.members ?? []
    return members.contains { ".\($0)" == sends } ? sends : ""
  }

  /// Whether what it sends may have the key that its input has.
  package var keepsKeys: Bool {
    switch partitioning {
    case .reshaped: false
    case .byKey(_, let sends, _, _): sends == nil
    case .whole, .each, .partition: !comparesPolls
    }
  }
}
