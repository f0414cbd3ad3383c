import JSON
import Language
import Store

/// The trace that is kept with the state: notes of the last events that sources have read, and of what became of them.
///
/// In memory it has the notes since the last commit, and none of events that are not among the last ones. A commit
/// stores them in entries of the table `pipeline@trace`, in the order of their numbers, and drops the oldest entries that
/// are not needed any more.
///
/// Each event goes through here several times, and most are forgotten before a commit. So a note is small, and the
/// oldest event is forgotten with each that is read: the memory of what it was made of is used again at once.
final class KeptTrace: NoteKeeper {
  struct Note {
    /// Nil where it is that of the note before.
    var value: Value?
    let cause: NoteCause
    let node: UInt16
    let row: Int32
    /// The number of the note of what the node was taking; negative for none.
    let taken: Int
  }

  /// The common part of the notes from this number on.
  private struct Stretch {
    let first: Int
    let at: Double
    let poll: Poll
  }

  private struct State {
    /// The notes; those before `head` are forgotten.
    var notes: [Note] = []
    var head = 0
    /// The identity of the value of the last note.
    var latest: Value.Identity?
    /// The number of the first element of `notes`.
    var first: Int
    var stretches: [Stretch] = []
    /// The poll of the last stretch, which has it, and its time.
    var poll: ObjectIdentifier?
    var time = 0.0
    var reads = 0
    var outputs: [(note: Int, sink: String, id: String)] = []
    var attempts: [(id: String, attempt: OutputAttempt)] = []
    /// The keys of the stored entries, and how many events were read in each.
    var stored: [(key: [UInt8], reads: Int)] = []
    var storedReads = 0
    var serial = 0
    /// The numbers of the polls of the last commits, to know those of held events again.
    var polls: [ObjectIdentifier: (number: Int, poll: Poll)] = [:]
    var nextPoll = 0

    init(first: Int) { self.first = first }

    /// Adds a note, with its number.
    mutating func add(_ event: Event, _ cause: NoteCause, _ node: UInt16, taken: Int?, at time: Double) {
      let poll = ObjectIdentifier(event.poll)
      if poll != self.poll || time != self.time {
        (self.poll, self.time) = (poll, time)
        stretches.append(Stretch(first: first + notes.count, at: time, poll: event.poll))
      }
      let identity = event.value.identity
      let isRepeated = identity != nil && identity == latest && cause != .read
      notes.append(
        Note(
          value: isRepeated ? nil : event.value, cause: cause, node: node, row: event.row,
          taken: taken ?? -1))
      latest = identity
      if cause == .read { reads += 1 }
    }

    /// The value of a note, by its place among the notes.
    func value(at place: Int) -> Value {
      var place = place
      while place > head, notes[place].value == nil { place -= 1 }
      return notes[place].value ?? .null
    }

    /// Forgets the oldest note; with `asWhole` also those behind it, up to the next event that was read.
    mutating func forgetOldest(asWhole: Bool) {
      repeat {
        if notes[head].cause == .read { reads -= 1 }
        if !asWhole, head + 1 < notes.count, notes[head + 1].value == nil {
          notes[head + 1].value = notes[head].value
        }
        notes[head].value = nil
        head += 1
      } while asWhole && head < notes.count && notes[head].cause != .read
      if head >= Self.mostForgotten, head > notes.count / 2 { compact() }
    }

    /// Gives the room of forgotten notes back.
    mutating func compact() {
      notes.removeFirst(head)
      (first, head) = (first + head, 0)
      let first = first
      outputs.removeAll { $0.note < first }
      if let last = stretches.lastIndex(where: { $0.first <= first }) { stretches.removeFirst(last) }
    }

    private static var mostForgotten: Int { 4096 }
  }

  static let table = "\(Checkpointer.owner)@trace"
  /// The most notes for an event that is read, of which a step may make many.
  private static let mostNotes = 32
  private static let notesInEntry = 250
  /// The most entries for an event that is read: timers and attempts have some of their own.
  private static let mostEntries = 8

  private let bound: Int
  private let lane: Lane
  private let entries: LaneLocal<KeyedTable>
  private let state: LaneLocal<State>
  private let notes: LaneLocal<EventNotes?> = LaneLocal(nil)

  /// Continues the trace of the run before; nil where the pipeline keeps none any more.
  init?(of plan: Plan, in file: StateFile, on lane: Lane) throws {
    let isKept = try plan.trace != nil || file.storedTables().contains { $0.node == Self.table }
    guard isKept else { return nil }
    // Not read again, so that a cache would be of no use.
    let table = try file.table(node: Self.table, description: "", shares: .max)
    guard let bound = plan.trace else {
      table.removeAll()
      return nil
    }
    (self.bound, self.lane, entries) = (bound, lane, LaneLocal(table))
    var state = State(first: 0)
    table.forEach { key, bytes in
      guard let entry = StoredTrace(bytes) else { return }
      state.first = max(state.first, entry.end)
      state.nextPoll = max(state.nextPoll, entry.nextPoll)
      state.serial = max(state.serial, entry.serial + 1)
      state.stored.append((key, entry.reads))
      state.storedReads += entry.reads
    }
    self.state = LaneLocal(state)
    notes.value = EventNotes(of: plan, from: state.first, self)
  }

  /// Ends the trace with its run.
  func end() { notes.value = nil }

  /// The notes of what the run does, from which it is made; nil when that has ended.
  var eventNotes: EventNotes? { notes.value }

  /// Whether there is something that is not stored yet.
  var hasNews: Bool { !state.value.notes.isEmpty || !state.value.attempts.isEmpty }

  func note(
    _ event: Event, behind node: EventNotes.Node, in notes: EventNotes, _ cause: NoteCause, taken: Int?
  ) {
    if event.isEndOfPoll { return }
    state.value.add(event, cause, node.number, taken: taken, at: lane.now)
    if state.value.reads > bound {
      state.value.forgetOldest(asWhole: true)
    } else if state.value.notes.count - state.value.head > Self.mostNotes * bound {
      state.value.forgetOldest(asWhole: false)
    }
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

  /// Adds what is new to the epoch that is about to be committed.
  func store() {
    guard hasNews else { return }
    state.value.compact()
    var start = 0
    repeat {
      let end = min(start + Self.notesInEntry, state.value.notes.count)
      store(start..<end, isLast: end == state.value.notes.count)
      start = end
    } while start < state.value.notes.count
    state.value.first += state.value.notes.count
    state.value.notes.removeAll(keepingCapacity: true)
    (state.value.latest, state.value.poll) = (nil, nil)
    (state.value.reads, state.value.stretches) = (0, [])
    (state.value.outputs, state.value.attempts) = ([], [])
    if state.value.polls.count > 1000 { state.value.polls = [:] }
    dropOldEntries()
  }

  private func dropOldEntries() {
    var dropped = 0
    while case let left = state.value.stored.count - dropped, left > 1,
      case let reads = state.value.storedReads - state.value.stored[dropped].reads,
      reads >= bound || left > Self.mostEntries * bound
    {
      entries.value.discard(state.value.stored[dropped].key)
      state.value.storedReads = reads
      dropped += 1
    }
    state.value.stored.removeFirst(dropped)
  }

  /// Stores the notes at these places as an entry.
  private func store(_ places: Range<Int>, isLast: Bool) {
    let entry = StoredTrace.Writing(from: state.value.first + places.lowerBound) { [self] poll in
      number(of: poll)
    }
    var reads = 0
    var stretches = state.value.stretches[...]
    for place in places {
      let note = state.value.notes[place]
      while let next = stretches.dropFirst().first, next.first <= state.value.first + place {
        stretches = stretches.dropFirst()
      }
      guard let stretch = stretches.first, let node = notes.value?.name(of: note.node) else { continue }
      entry.add(note, behind: node.json, state.value.value(at: place), at: stretch.at, stretch.poll)
      if note.cause == .read { reads += 1 }
    }
    let serial = state.value.serial
    let bytes = entry.bytes(
      serial: serial, reads: reads, nextPoll: state.value.nextPoll,
      outputs: isLast ? state.value.outputs : [], attempts: isLast ? state.value.attempts : [])
    let key = Value.number(serial).json
    entries.value.set(lane.world[Secrets.self]?.sealed(bytes) ?? bytes, for: key)
    state.value.stored.append((key, reads))
    state.value.storedReads += reads
    state.value.serial += 1
  }

  private func number(of poll: Poll) -> Int {
    if let known = state.value.polls[ObjectIdentifier(poll)] { return known.number }
    let number = state.value.nextPoll
    state.value.nextPoll += 1
    state.value.polls[ObjectIdentifier(poll)] = (number, poll)
    return number
  }
}
