import JSON
import Language
import Reactive

/// A trace of a run: what each source and step sends and each sink is given, with the events that it was made of.
///
///     let trace = EventTrace(plan) { now() }
///     trace.follow(&options)
///     …
///     trace.passages.last?.origins
///
/// An event that a step sends is made of the one that it is taking, unless the step holds events: then that one is known
/// by its value, which the event has as a whole or in a member, by the row of the poll that both came from, or by its key.
package final class EventTrace: Sendable {
  /// Why a node has sent an event.
  package enum Cause: String, Sendable {
    /// A source has read it.
    case read
    /// The node was taking an event.
    case event
    /// A poll ended.
    case poll
    /// Its time had come.
    case time
  }

  /// An event behind a node: what a source or step has sent, or a sink was given.
  package struct Passage: Sendable {
    package let node: String
    /// In seconds since 1970.
    package let at: Double
    package let value: Value
    package let poll: Poll
    /// The index of the row of the poll that it came from.
    package let row: Int?
    package let cause: Cause
    /// The passages that it was made of, in their order; none where they are not known.
    package let origins: [Int]

    package var event: Event {
      Event(value, poll, row: row.map { Int32(truncatingIfNeeded: $0) } ?? Event.none)
    }
  }

  /// What a node has taken, each in order.
  private struct Node {
    /// By the number of the value.
    var values: [Int: [Int]] = [:]
    /// The latest of each row.
    var rows: [Row: Int] = [:]
    /// By the key of the change that an event is, or the id.
    var keys: [Value: [Int]] = [:]
  }

  private struct Row: Hashable {
    let list: String
    let poll: Int
    let row: Int32

    /// Nil where the event came from no row.
    init?(_ event: Event) {
      guard event.row >= 0 else { return nil }
      let (poll, row) = (event.poll, event.row)
      // Where a source has no polls, each delivery counts as one.
      let number = poll.number > 0 ? poll.number : ObjectIdentifier(poll).hashValue
      (list, self.poll, self.row) = (poll.list, number, row)
    }
  }

  /// A node that is taking an event, or the end of a poll.
  private struct Frame {
    let node: String
    let passage: Int?
    /// What was under way before.
    let outer: Int?
  }

  private struct State {
    var passages: [Passage] = []
    /// Each value once, with a number: rows repeat from poll to poll.
    var values: [Value: Int] = [:]
    /// The number of the value of each passage.
    var numbers: [Int] = []
    var firstPolls: [String: Int] = [:]
    var nodes: [String: Node] = [:]
    var frames: [Frame] = []
    /// The passage that is on its way.
    var current: Int?

    /// The passage that is closest to an event: of its row, else of its poll, else of its list, else the latest.
    func closest(_ indices: [Int]?, to event: Event) -> Int? {
      var (ofPoll, ofList): (Int?, Int?)
      for index in (indices ?? []).reversed() where passages[index].poll.list == event.poll.list {
        let passage = passages[index]
        if passage.poll.isSame(as: event.poll) {
          if passage.row == Int(event.row) { return index }
          ofPoll = ofPoll ?? index
        }
        ofList = ofList ?? index
        if passage.poll.number < event.poll.number { break }
      }
      return ofPoll ?? ofList ?? indices?.last
    }
  }

  private let sources: Set<String>
  private let comparing: Set<String>
  /// Steps that hold nothing: what they send is made of what they are taking.
  private let direct: Set<String>
  private let clock: @Sendable () -> Double
  private let state = Locked(State())

  package init(_ plan: Plan, clock: @escaping @Sendable () -> Double) {
    self.clock = clock
    sources = Set(plan.sources.map(\.name))
    let steps = plan.streams.flatMap(\.steps)
    comparing = Set(steps.filter(\.spec.comparesPolls).map(\.name))
    direct = Set(steps.filter(\.spec.handlesEachAlone).map(\.name) + plan.sinks.map(\.name))
  }

  package var passages: [Passage] { state.withLock { $0.passages } }
  /// The number of the first poll of each list that was not a failure.
  package var firstPolls: [String: Int] { state.withLock { $0.firstPolls } }
  package var isEmpty: Bool { state.withLock { $0.passages.isEmpty } }

  package func follow(_ options: inout RunOptions) {
    options.tap = { [self] node, event in
      if !event.isEndOfPoll { return note(node, event) }
      guard sources.contains(node) else { return }
      state.withLock { $0.firstPolls[event.poll.list] = $0.firstPolls[event.poll.list] ?? event.poll.number }
    }
    options.takes = { [self] node, event in
      guard let event else { return state.withLock { leave(&$0) } }
      state.withLock { enter(&$0, node, event) }
    }
  }

  private func enter(_ state: inout State, _ node: String, _ event: Event) {
    let passage = event.isEndOfPoll ? nil : state.current
    state.frames.append(Frame(node: node, passage: passage, outer: state.current))
    guard let passage, !direct.contains(node) else { return }
    var own = state.nodes.removeValue(forKey: node) ?? Node()
    own.values[state.numbers[passage], default: []].append(passage)
    if let row = Row(event) { own.rows[row] = passage }
    if let key = event.value.member("key") ?? event.value.member("id") {
      own.keys[key, default: []].append(passage)
    }
    state.nodes[node] = own
  }

  private func leave(_ state: inout State) {
    if let frame = state.frames.popLast() { state.current = frame.outer }
  }

  /// Notes what a node has sent, or a sink was given.
  package func note(_ node: String, _ event: Event) {
    let at = clock()
    state.withLock { state in
      let found = state.values.index(forKey: event.value).map { state.values[$0] }
      let (value, number) = found ?? (event.value.detach(), state.values.count)
      if found == nil { state.values[value] = number }
      let frame = state.frames.last.flatMap { $0.node == node ? $0 : nil }
      let isRead = sources.contains(node)
      let origins =
        isRead ? [] : origins(of: event, number, from: node, taking: frame?.passage, state)
      // Tasks of a partition send what the end of a poll brings in the order of its rows.
      let isLater = origins.last.map { state.passages[$0].at < at } ?? true
      let cause: Cause =
        isRead ? .read : frame.map { $0.passage == nil ? .poll : .event } ?? (isLater ? .time : .poll)
      state.current = state.passages.count
      state.passages.append(
        Passage(
          node: node, at: at, value: value, poll: event.poll, row: event.row < 0 ? nil : Int(event.row),
          cause: cause, origins: origins))
      state.numbers.append(number)
    }
  }

  private func origins(
    of event: Event, _ number: Int, from node: String, taking passage: Int?, _ state: State
  ) -> [Int] {
    if direct.contains(node) { return passage.map { [$0] } ?? [] }
    guard let own = state.nodes[node] else { return [] }
    let value = event.value
    func latest(_ value: Value) -> Int? {
      state.values[value].flatMap { state.closest(own.values[$0], to: event) }
    }
    let members = value.items ?? value.keys.compactMap { value.member($0) }
    let parts = (members + members.flatMap { $0.items ?? [] }).filter {
      $0.kind == .object || $0.kind == .array
    }
    let same = state.closest(own.values[number], to: event)
    if let row = Row(event), let found = own.rows[row] {
      if let same, state.passages[same].poll.isSame(as: event.poll),
        state.passages[same].row == Int(event.row)
      {
        return [same]
      }
      return Set(parts.compactMap(latest)).subtracting([found]).sorted() + [found]
    }
    if let same { return [same] }
    // A change has the rows before and after; where a row is gone, the last one that was there.
    for side in ["after", "before"] {
      if let row = value.member(side), !row.isNull, let found = latest(row) { return [found] }
    }
    let found = Set(parts.compactMap(latest))
    if !found.isEmpty { return found.sorted() }
    if let key = value.member("key"), let found = state.closest(own.keys[key], to: event) {
      let isOfPoll = state.passages[found].poll.isSame(as: event.poll)
      // What closes a window is no part of it.
      if comparing.contains(node) || isOfPoll && found != passage { return [found] }
    }
    // Of several events, which ones is not known.
    return passage.flatMap { state.passages[$0].poll === event.poll ? [$0] : nil } ?? []
  }
}

extension Poll {
  fileprivate func isSame(as other: Poll) -> Bool {
    self === other || number > 0 && number == other.number && list == other.list
  }
}

extension RunOptions {
  /// The observer of a node, before which those who listen hear what it takes.
  func taking(
    _ observer: any Observer<Event>, by name: String, in task: PartitionTask? = nil
  ) -> any Observer<Event> {
    takes.map { TakeTap(name, $0, task, to: observer) } ?? observer
  }
}

/// The way into a step or a sink, for those who listen.
private final class TakeTap: Observer {
  private let name: String
  private let takes: @Sendable (String, Event?) -> Void
  private let task: PartitionTask?
  private let next: any Observer<Event>

  init(
    _ name: String, _ takes: @escaping @Sendable (String, Event?) -> Void, _ task: PartitionTask?,
    to next: any Observer<Event>
  ) {
    self.name = name
    self.takes = takes
    self.task = task
    self.next = next
  }

  func next(_ event: Event) {
    report(event)
    next.next(event)
    report(nil)
  }

  private func report(_ event: Event?) {
    guard let task else { return takes(name, event) }
    task.perform { [takes, name] in takes(name, event) }
  }

  func fail(_ error: any Error) { next.fail(error) }
  func complete() { next.complete() }
}
