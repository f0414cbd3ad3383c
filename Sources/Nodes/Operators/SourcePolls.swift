import Engine
import JSON
import Language

/// The polls of a source: what `changes` remembers of them beside the rows.
final class SourcePolls {
  /// The first poll, by which later ones are judged.
  struct Baseline: StorableValue, Equatable {
    /// The coverage of the last accepted poll that was not partial; partial where there was none.
    var coverage: Coverage
    /// The number of the poll that was held back, if that was the last one.
    var held: Int?

    init(coverage: Coverage, held: Int? = nil) {
      self.coverage = coverage
      self.held = held
    }

    init?(jsonValue value: Value) {
      // As it is written where there is no more to it.
      if value.kind == .boolean {
        guard value.isTruthy else { return nil }
        self.init(coverage: .complete)
      } else {
        guard let coverage = Coverage(value) else { return nil }
        self.init(
          coverage: coverage, held: Int(member: value.member("held")))
      }
    }

    var jsonValue: Value {
      if coverage == .complete, held == nil { return .bool(true) }
      return .record(coverage.members + (held.map { [("held", .number($0))] } ?? []))
    }
  }

  /// Nil before the end of the first poll.
  var baseline: Baseline? {
    didSet { if baseline != oldValue { cell.set(baseline) } }
  }
  var absent: AbsentRows<NodeState<AbsentRow>>
  let open: OpenPoll
  /// The last poll that has ended in this run.
  private var ended: OpenPoll.ID?
  private let cell: NodeCell<Baseline>
  /// Where rows were last seen, in lists in which that decides what is gone.
  private var places: NodeState<RowPlace>
  /// The horizon of the last poll, if none of the absent rows was within it; nil where that is not known.
  private var searched: Horizon?

  init(
    _ source: String, by key: String, _ confirmation: PollsOrTime, lifetime: Double, bound: Int,
    _ context: StepContext
  ) throws {
    // Under another key everything is new, and that is no news.
    cell = try context.cell(part: "\(source)/baseline", by: key)
    baseline = cell.value
    absent = AbsentRows(
      state: try context.state(by: key, part: "\(source)/absent", whenKeyChanges: .forget),
      confirmation: confirmation, lifetime: lifetime, bound: bound)
    places = try context.state(by: key, part: "\(source)/places", whenKeyChanges: .forget)
    open = OpenPoll(
      try context.queue(part: "\(source)/open", by: key), hasDurableState: context.hasDurableState)
  }

  /// A row of a poll, with what only the poll knows of it.
  func row(_ key: Value, _ event: Event) -> PolledRow {
    let order = event.poll.coverage.fixedOrder
    return PolledRow(
      key: key, event: event, isNews: baseline?.coverage.wouldShow(event) ?? true,
      place: order.flatMap { order in event.position(in: order).map { RowPlace(order: order, position: $0) } }
    )
  }

  /// Whether the poll of an event has ended already: a step has sent the event behind the end.
  func hasEnded(_ poll: Poll) -> Bool {
    guard let ended else { return false }
    return poll.number <= ended.number && poll.at <= ended.at
  }

  func noteEnd(of poll: Poll) { ended = OpenPoll.ID(poll) }

  func setPlace(of row: PolledRow) {
    if let place = row.place, places.value(for: row.key) != place { places.set(place, for: row.key) }
  }

  /// Sorts out the rows that an accepted poll lacks; returns those whose removal is confirmed, in the order of the keys.
  ///
  /// - Parameter missing: Those that were in sight, taken out of the snapshot.
  func lose(_ missing: [(key: Value, before: Value)], _ poll: Poll) -> [(key: Value, before: Value)] {
    let coverage = poll.coverage
    var removed = confirm(poll)
    for (key, before) in missing {
      let place = places.count > 0 ? places.remove(key) : nil
      switch coverage.absence(from: place) {
      case .gone:
        if absent.lose(key, before, place, at: poll.at) {
          removed.append((key, before))
        } else {
          searched = nil
        }
      case .outOfSight, .unknown: absent.hide(key, before, place, at: poll.at)
      }
    }
    absent.forget(at: poll.at)
    return removed.sorted { Value.order($0.key, $1.key) < 0 }
  }

  /// Takes out all absent rows, with what is known of places: the list is no more.
  func takeAbsent() -> [(key: Value, before: Value)] {
    var rows: [(key: Value, before: Value)] = []
    absent.forEach { rows.append(($0, $1.value)) }
    for (key, _) in rows { _ = absent.bringBack(key) }
    while places.removeOldest() != nil {}
    searched = nil
    return rows
  }

  /// Takes out the absent rows whose removal a poll confirms.
  private func confirm(_ poll: Poll) -> [(key: Value, before: Value)] {
    var horizon: Horizon?
    if case .truncated(let last?) = poll.coverage, !last.moves { horizon = last }
    // A horizon that has come nearer covers no row that it did not cover before.
    let isNearer =
      if let searched, let horizon { searched.order == horizon.order && !horizon.covers(searched.last) } else
      {
        false
      }
    // Of the rows that this poll hides, none is within it; where they were is not known for any other poll.
    searched = poll.isStale ? nil : horizon
    if poll.isStale || absent.count == 0 || isNearer || horizon == nil && poll.coverage != .complete {
      return []
    }
    let (confirmed, isWaiting) = absent.confirm(at: poll.at) { poll.coverage.absence(from: $0) == .gone }
    if isWaiting { searched = nil }
    return confirmed
  }
}
