import JSON
import Language
import Reactive

/// A trace of a run: what each source and step sends and each sink is given, with the events that it was made of.
///
///     let trace = EventTrace(plan)
///     trace.follow(&options, of: plan) { now() }
///     …
///     trace.passages.last?.origins
///
/// An event that a step sends is made of the one that it is taking, unless the step holds events: then that one is known
/// by its value, which the event has as a whole or in a member, by the row of the poll that both came from, or by its key.
package final class EventTrace: Sendable {
  /// An event behind a node: what a source or step has sent, or a sink was given.
  package struct Passage: Sendable {
    package let node: String
    /// In seconds since 1970.
    package let at: Double
    package let value: Value
    package let poll: Poll
    /// The index of the row of the poll that it came from.
    package let row: Int?
    package let cause: NoteCause
    /// The passages that it was made of, in their order; none where they are not known.
    package let origins: [Int]
    /// The number of the note of what its node was taking.
    let taken: Int?

    package var event: Event {
      Event(value, poll, row: row.map { Int32(truncatingIfNeeded: $0) } ?? Event.none)
    }
  }

  /// The events that a node has taken, in order.
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
    let at: Double
    let poll: Int
    let row: Int32

    /// Nil where the event came from no row.
    init?(_ event: Event) {
      guard event.row >= 0 else { return nil }
      let poll = event.poll
      // Where a source has no polls, each batch counts as one.
      let number = poll.number > 0 ? poll.number : ObjectIdentifier(poll).hashValue
      (list, at, self.poll, row) = (poll.list, poll.at, number, event.row)
    }
  }

  private struct State {
    var passages: [Passage] = []
    /// Each value once, with a number: rows repeat from poll to poll.
    var values: [Value: Int] = [:]
    /// The number of the value of each passage.
    var numbers: [Int] = []
    var firstPolls: [String: Int] = [:]
    var nodes: [String: Node] = [:]
    /// The first note of each stretch without gaps, and its passage.
    var stretches: [(note: Int, passage: Int)] = []
    /// The ids of outputs, by the note of the event and the sink that they were made by.
    var outputs: [Output: String] = [:]
    var attempts: [String: [OutputAttempt]] = [:]

    /// The passage of a note; nil where it is not in the trace.
    func passage(of note: Int) -> Int? {
      guard let place = stretches.lastIndex(where: { $0.note <= note }) else { return nil }
      let passage = stretches[place].passage + note - stretches[place].note
      return passage < (place + 1 < stretches.count ? stretches[place + 1].passage : passages.count)
        ? passage : nil
    }

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
        if passage.poll.at < event.poll.at { break }
      }
      return ofPoll ?? ofList ?? indices?.last
    }
  }

  private struct Output: Hashable {
    let note: Int
    let sink: String
  }

  private let comparing: Set<String>
  /// Steps that hold nothing, and sinks: what they send is made of what they are taking.
  private let direct: Set<String>
  /// The nodes that hold events, by what they read.
  private let holding: [String: [String]]
  private let state = Locked(State())

  package init(_ plan: Plan) {
    let steps = plan.streams.flatMap(\.steps)
    comparing = Set(steps.filter(\.spec.comparesPolls).map(\.name))
    direct = Set(steps.filter(\.spec.handlesEachAlone).map(\.name) + plan.sinks.map(\.name))
    holding = plan.readers.mapValues { [direct] readers in readers.filter { !direct.contains($0) } }
  }

  package var passages: [Passage] { state.withLock { $0.passages } }
  /// The number of the first poll of each list that was not a failure, where that is in the trace.
  package var firstPolls: [String: Int] { state.withLock { $0.firstPolls } }
  package var isEmpty: Bool { state.withLock { $0.passages.isEmpty } }

  /// The deliveries of the event that a sink received at a passage, and its id; nil where that is not known.
  package func output(of passage: Int) -> (id: String, attempts: [OutputAttempt])? {
    state.withLock { state in
      guard let note = state.passages[passage].taken else { return nil }
      let output = Output(note: note, sink: state.passages[passage].node)
      return state.outputs[output].map { ($0, state.attempts[$0] ?? []) }
    }
  }

  /// Notes the beginning of a stretch of notes: before all of them, and behind each gap.
  package func begin(at note: Int) {
    state.withLock { state in
      if let last = state.stretches.last, state.passages.count - last.passage == note - last.note { return }
      state.stretches.append((note, state.passages.count))
    }
  }

  package func note(output id: String, of note: Int, by sink: String) {
    state.withLock { $0.outputs[Output(note: note, sink: sink)] = id }
  }

  package func note(_ attempt: OutputAttempt, of id: String) {
    state.withLock { $0.attempts[id, default: []].append(attempt) }
  }

  /// Notes what a node has sent, or a sink was given.
  func note(_ event: Event, behind node: String, at time: Double, _ cause: NoteCause, taken note: Int?) {
    state.withLock { state in
      if event.isEndOfPoll {
        if cause == .read {
          state.firstPolls[event.poll.list] = state.firstPolls[event.poll.list] ?? event.poll.number
        }
        return
      }
      let found = state.values.index(forKey: event.value).map { state.values[$0] }
      let (value, number) = found ?? (event.value.detach(), state.values.count)
      if found == nil { state.values[value] = number }
      let taken = note.flatMap { state.passage(of: $0) }
      let origins =
        cause == .read ? [] : origins(of: event, number, from: node, taking: taken, state)
      // Tasks of a partition send what the end of a poll brings in the order of its rows.
      let isLater = origins.last.map { state.passages[$0].at < time } ?? true
      let cause = cause == .time && !isLater ? .poll : cause
      let index = state.passages.count
      state.passages.append(
        Passage(
          node: node, at: time, value: value, poll: event.poll,
          row: event.row < 0 ? nil : Int(event.row), cause: cause, origins: origins, taken: note))
      state.numbers.append(number)
      for reader in holding[node] ?? [] { hold(&state, index, event, by: reader) }
    }
  }

  private func hold(_ state: inout State, _ passage: Int, _ event: Event, by node: String) {
    var own = state.nodes.removeValue(forKey: node) ?? Node()
    own.values[state.numbers[passage], default: []].append(passage)
    if let row = Row(event) { own.rows[row] = passage }
    if let key = event.value.member("key") ?? event.value.member("id") {
      own.keys[key, default: []].append(passage)
    }
    state.nodes[node] = own
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
    let taken = passage.map { state.passages[$0] }
    let isOfTaken = taken?.row == Int(event.row) && taken?.poll.isSame(as: event.poll) == true
    if let row = Row(event), let found = isOfTaken ? passage : own.rows[row] {
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
