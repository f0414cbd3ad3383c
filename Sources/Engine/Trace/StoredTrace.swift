import JSON
import Language
import Store

/// An entry of the trace that is kept with the state.
///
///     {"notes":[["in",1767225600.5,2,0,null,"read",{"id":1}],["filter",1767225600.5,2,0,40,"event"], …],
///      "serial":7,"reads":2,"first":40,"end":42,"nextPoll":3,
///      "polls":{"2":{"source":"in","at":1767225600,"poll":5}},
///      "outputs":[[41,"tell","p/tell/x-1"]],"attempts":[["p/tell/x-1",1767225601,"no answer",1767225661]]}
///
/// A note has the node, the time, the poll, the row, what the node was taking, why, and the value, unless that is the
/// value of the note that it was taking.
struct StoredTrace {
  private let entry: Value

  init?(_ bytes: [UInt8]) {
    guard let entry = try? Value.parse(Secrets.shown(sealed: bytes)), entry.member("notes") != nil else {
      return nil
    }
    self.entry = entry
  }

  private func integer(_ name: Key) -> Int { entry.member(name).flatMap(Self.integer) ?? 0 }

  private static func integer(_ value: Value) -> Int? { value.double.flatMap { Int(exactly: $0) } }

  var serial: Int { integer("serial") }
  var reads: Int { integer("reads") }
  /// The number behind that of its last note.
  var end: Int { integer("end") }
  var nextPoll: Int { integer("nextPoll") }

  /// Adds it to a trace, with the polls that former entries have named.
  func read(into trace: EventTrace, _ polls: inout [String: Poll]) {
    entry.member("polls")?.forEachMember { name, value in
      guard let name = name.string, polls[name] == nil else { return }
      polls[name] = Poll(jsonValue: value)
    }
    let first = integer("first")
    trace.begin(at: first)
    var values: [Value] = []
    for note in entry.member("notes")?.items ?? [] {
      let parts = note.items ?? []
      guard parts.count >= 6, let node = parts[0].string, let at = parts[1].double,
        let poll = polls[parts[2].description], let cause = parts[5].string.flatMap(NoteCause.init)
      else { continue }
      let taken = Self.integer(parts[4])
      let shared = taken.flatMap { values.indices.contains($0 - first) ? values[$0 - first] : nil }
      let value = parts.count > 6 ? parts[6] : shared ?? .null
      values.append(value)
      let row = Self.integer(parts[3]).flatMap { Int32(exactly: $0) } ?? Event.none
      trace.note(Event(value, poll, row: row), behind: node, at: at, cause, taken: taken)
    }
    for output in entry.member("outputs")?.items ?? [] {
      guard let parts = output.items, parts.count == 3, let note = Self.integer(parts[0]),
        let sink = parts[1].string, let id = parts[2].string
      else { continue }
      trace.note(output: id, of: note, by: sink)
    }
    for attempt in entry.member("attempts")?.items ?? [] {
      guard let parts = attempt.items, parts.count == 4, let id = parts[0].string, let at = parts[1].double
      else { continue }
      trace.note(OutputAttempt(at: at, failure: parts[2].string, next: parts[3].double), of: id)
    }
  }
}

extension StoredTrace {
  /// An entry as it is written, note by note.
  final class Writing {
    private let output = Output(capacity: 1 << 12)
    private let writer = Writer(WriteOptions())
    private let first: Int
    private let number: (Poll) -> Int
    private var count = 0
    private var polls: [Int: Poll] = [:]
    private var latest: Poll?
    /// The common part of the notes of one time and poll, as text.
    private var common = (at: Double.nan, text: [UInt8]())
    /// The identities of the values of the notes, which are there until all is written.
    private var identities: [Value.Identity?] = []

    init(from first: Int, _ number: @escaping (Poll) -> Int) {
      (self.first, self.number) = (first, number)
      output.put("{\"notes\":[")
    }

    func add(
      _ note: KeptTrace.Note, behind node: [UInt8], _ value: Value, at time: Double, _ poll: Poll
    ) {
      if latest !== poll || time != common.at {
        let number = number(poll)
        latest = poll
        polls[number] = poll
        common = (time, Array(",\(Value.number(time)),\(number),".utf8))
      }
      output.put(count == 0 ? "[" : ",[")
      output.put(node)
      output.put(common.text)
      output.put(note.row >= 0 ? String(note.row) : "null")
      output.put(",")
      output.put(note.taken >= 0 ? String(note.taken) : "null")
      output.put(",\"")
      output.put(note.cause.rawValue)
      output.put("\"")
      let identity = value.identity
      if note.taken < first || identity == nil || identities[note.taken - first] != identity {
        output.put(",")
        writer.write(value, to: output)
      }
      output.put("]")
      identities.append(identity)
      count += 1
    }

    func bytes(
      serial: Int, reads: Int, nextPoll: Int, outputs: [(note: Int, sink: String, id: String)],
      attempts: [(id: String, attempt: OutputAttempt)]
    ) -> [UInt8] {
      let rest = Value.record([
        (
          "polls",
          .record(polls.sorted { $0.key < $1.key }.map { ("\($0.key)", .record($0.value.jsonValue)) })
        ),
        (
          "outputs",
          .array(outputs.map { .array([.number($0.note), .string($0.sink), .string($0.id)]) })
        ),
        (
          "attempts",
          .array(
            attempts.map { id, attempt in
              .array([
                .string(id), .number(attempt.at), attempt.failure.map { .string($0) } ?? .null,
                attempt.next.map { .number($0) } ?? .null,
              ])
            })
        ),
      ])
      output.put(
        "],\"serial\":\(serial),\"reads\":\(reads),\"first\":\(first),\"end\":\(first + count),"
          + "\"nextPoll\":\(nextPoll),")
      return output.bytes + rest.json.dropFirst()
    }
  }
}

extension Value {
  /// Which one it is in memory, as long as it is there.
  struct Identity: Equatable {
    let storage: ObjectIdentifier
    let place: UInt32
  }

  /// Nil for one that is no object or array; equal ones are the same value.
  @inline(__always)
  var identity: Identity? {
    switch self {
    case .view(let document, let place): Identity(storage: ObjectIdentifier(document), place: place)
    case .projection(let members): Identity(storage: ObjectIdentifier(members), place: 0)
    case .object(let members): Identity(storage: ObjectIdentifier(members), place: 0)
    case .array(let items): Identity(storage: ObjectIdentifier(items), place: 0)
    case .null, .bool, .number, .literal, .string: nil
    }
  }
}

extension EventTrace {
  /// The trace of a plan that its state has kept.
  package convenience init(_ plan: Plan, keptIn reader: StateReader) throws {
    self.init(plan)
    var polls: [String: Poll] = [:]
    var last: StoredKey?
    while case let page = try reader.keys(of: KeptTrace.table, after: last, limit: 10), !page.isEmpty {
      for key in page { StoredTrace(key.value)?.read(into: self, &polls) }
      last = page.last
    }
  }
}
