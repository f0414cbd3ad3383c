import Engine
import JSON
import SimulatedDisk
import Store

/// Holds the table of a database against the events that it was to get: each epoch of them exactly once.
struct TableCheck {
  static let folder = "/db"
  private static let path = "\(folder)/events.db"
  static let url = "sqlite:\(path)"

  /// Whether each event is a row, or the last of each key.
  let isHistory: Bool
  /// Whether a complete poll is the list.
  let isOfPolls: Bool
  private var rows: [Value] = []
  private var list: [String: Value] = [:]
  private var ofPoll: Set<String> = []

  init(isHistory: Bool, isOfPolls: Bool) {
    (self.isHistory, self.isOfPolls) = (isHistory, isOfPolls)
  }

  mutating func take(_ note: Witness.Note) {
    let event = note.event
    if event.isEndOfPoll {
      if isOfPolls, note.isOfCompletePoll, !ofPoll.isEmpty { list = list.filter { ofPoll.contains($0.key) } }
      ofPoll = []
      return
    }
    rows.append(event.value)
    let key = event.value.member("k")?.string ?? ""
    let isRemoved = event.value.member("t")?.string == "removed"
    list[key] = isRemoved ? nil : event.value
    if !isRemoved { ofPoll.insert(key) }
  }

  func check(_ process: SimulatedProcess) throws {
    var found: [Value] = []
    if process.exists(Self.path) {
      let database = try Database(
        foreign: Self.path, on: ProcessDisk(process: process), to: .write, busyMilliseconds: 0)
      if try database.hasTable("events") {
        let statement = try database.statement("SELECT event FROM events ORDER BY rowid")
        while try statement.step() { found.append(try Value.parse(statement.text(0))) }
      }
    }
    let expected = isHistory ? rows : list.keys.sorted().compactMap { list[$0] }
    func key(_ value: Value) -> String { value.member("k")?.string ?? "" }
    if !isHistory { found.sort { key($0) < key($1) } }
    guard found != expected else { return }
    let place = zip(found, expected).enumerated().first { $1.0 != $1.1 }?.offset
    let first = place ?? min(found.count, expected.count)
    func shown(_ values: [Value]) -> String { values.count > first ? "\(values[first])" : "the end" }
    throw Complaint(
      "the table has \(found.count) rows in place of \(expected.count): \(shown(found)) where "
        + "\(shown(expected)) was to be")
  }
}
