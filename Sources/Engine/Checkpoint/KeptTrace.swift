import JSON
import Language
import Store

/// The trace that is kept with the state: notes of the last events that sources have read, and of what became of them.
///
/// In memory it has the notes since the last commit, and none of events that are not among the last ones. A commit
/// stores them in entries of the table `pipeline@trace`, in the order of their numbers, and drops the oldest entries that
/// are not needed any more.
final class KeptTrace: Sendable {
  private struct State {
    var notes: [EventNote] = []
    /// The number of the first of them.
    var first: Int
    var reads = 0
    var outputs: [(note: Int, sink: String, id: String)] = []
    var attempts: [(id: String, attempt: OutputAttempt)] = []
    /// The keys of the stored entries, and how many events were read in each.
    var stored: [(key: [UInt8], reads: Int)] = []
    var serial = 0
    /// The numbers of the polls of the last commits, to know those of held events again.
    var polls: [ObjectIdentifier: (number: Int, poll: Poll)] = [:]
    var nextPoll: Int
  }

  static let table = "\(Checkpointer.owner)@trace"
  /// The most notes for an event that is read, of which a step may make many.
  private static let mostNotes = 32
  private static let notesInEntry = 1000
  /// The most entries for an event that is read: timers and attempts have some of their own.
  private static let mostEntries = 8

  private let bound: Int
  private let entries: LaneLocal<KeyedTable>
  private let state: LaneLocal<State>
  private let notes: LaneLocal<EventNotes?> = LaneLocal(nil)

  /// Continues the trace of the run before.
  init(of plan: Plan, _ bound: Int, in file: StateFile, on lane: Lane) throws {
    self.bound = bound
    let table = try file.table(node: Self.table, description: "")
    entries = LaneLocal(table)
    var state = State(first: 0, nextPoll: 0)
    table.forEach { key, bytes in
      guard let entry = StoredTrace(bytes) else { return }
      state.first = max(state.first, entry.end)
      state.nextPoll = max(state.nextPoll, entry.nextPoll)
      state.serial = max(state.serial, entry.serial + 1)
      state.stored.append((key, entry.reads))
    }
    self.state = LaneLocal(state)
    notes.value = EventNotes(of: plan, from: state.first, at: { lane.now }) { [self] note in add(note) }
  }

  /// Ends the trace with its run.
  func end() { notes.value = nil }

  func follow(_ options: inout RunOptions) { options.notes = notes.value }

  /// Whether there is something that is not stored yet.
  var hasNews: Bool { !state.value.notes.isEmpty || !state.value.attempts.isEmpty }

  private func add(_ note: EventNote) {
    if note.event.isEndOfPoll { return }
    state.value.notes.append(note)
    if note.cause == .read { state.value.reads += 1 }
    if state.value.reads >= 2 * bound || state.value.notes.count >= 2 * Self.mostNotes * bound { forget() }
  }

  /// Notes an output that the sink at work makes of the event that it is taking.
  func add(output id: String, of sink: String) {
    if let taken = notes.value?.current { state.value.outputs.append((taken, sink, id)) }
  }

  func add(_ attempt: OutputAttempt, of id: String) {
    state.value.attempts.append((id, attempt))
    let excess = state.value.attempts.count - 2 * bound
    if excess > bound { state.value.attempts.removeFirst(excess) }
  }

  /// Forgets the notes before the last events.
  private func forget() {
    let count = state.value.notes.count
    let least = max(0, count - Self.mostNotes * bound)
    var (start, left) = (count, bound)
    while start > least, left > 0 {
      start -= 1
      if state.value.notes[start].cause == .read { left -= 1 }
    }
    state.value.notes.removeFirst(start)
    state.value.first += start
    state.value.reads = bound - left
    let first = state.value.first
    state.value.outputs.removeAll { $0.note < first }
  }

  /// Adds what is new to the epoch that is about to be committed.
  func store() {
    guard hasNews else { return }
    if state.value.reads > bound { forget() }
    var rest = state.value.notes[...]
    repeat {
      let part = rest.prefix(Self.notesInEntry)
      rest = rest.dropFirst(part.count)
      store(part, isLast: rest.isEmpty)
    } while !rest.isEmpty
    let polls = state.value.polls
    state.value.notes.removeAll(keepingCapacity: true)
    (state.value.reads, state.value.outputs, state.value.attempts) = (0, [], [])
    if polls.count > 1000 { state.value.polls = [:] }
    let stored = state.value.stored
    var reads = stored.reduce(0) { $0 + $1.reads }
    var dropped = 0
    while dropped < stored.count - 1,
      reads - stored[dropped].reads >= bound || stored.count - dropped > Self.mostEntries * bound
    {
      reads -= stored[dropped].reads
      entries.value.remove(stored[dropped].key)
      dropped += 1
    }
    state.value.stored.removeFirst(dropped)
  }

  private func store(_ notes: ArraySlice<EventNote>, isLast: Bool) {
    let first = state.value.first
    let outputs = isLast ? state.value.outputs : []
    let attempts = isLast ? state.value.attempts : []
    let entry = StoredTrace.Writing(from: first) { [self] poll in number(of: poll) }
    for note in notes { entry.add(note) }
    let reads = notes.count { $0.cause == .read }
    let serial = state.value.serial
    let bytes = entry.bytes(
      serial: serial, reads: reads, nextPoll: state.value.nextPoll, outputs: outputs, attempts: attempts)
    let key = Value.number(serial).json
    entries.value.set(bytes, for: key)
    state.value.stored.append((key, reads))
    state.value.serial += 1
    state.value.first += notes.count
  }

  private func number(of poll: Poll) -> Int {
    if let known = state.value.polls[ObjectIdentifier(poll)] { return known.number }
    let number = state.value.nextPoll
    state.value.nextPoll += 1
    state.value.polls[ObjectIdentifier(poll)] = (number, poll)
    return number
  }
}
