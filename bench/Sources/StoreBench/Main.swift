import Glibc
import Store

/// Measures commits of a state file against a bare SQLite transaction; `bench/README.md` says how to read it.
///
///     swift run -c release StoreBench FOLDER [turns]
///
/// Each commit ends an epoch as a run does: rows of one table, a line for each in the outbox, the mark of the sink, the
/// position of the source and the clock; “all lines in one” has them in one entry, as `jsonl` keeps those of a turn, and
/// not as `exec` does. The bare transaction inserts one row, with the same settings of SQLite. All
/// cases take turns on files of their own in the folder, so that what else the disk does hits all of them.
@main
struct Main {
  static func main() throws(StoreError) {
    guard let folder = CommandLine.arguments.dropFirst().first else {
      print("StoreBench FOLDER [turns]")
      exit(64)
    }
    let turns = max(1, CommandLine.arguments.dropFirst(2).first.flatMap { Int($0) } ?? 500)
    let bare = try BareCase(path: folder + "/bare.db")
    let cases = [
      try EpochCase("40 of 40 keys", path: folder + "/few.db", keys: 40, isOrdered: false),
      try EpochCase("40 of 40 keys, in order", path: folder + "/few-ordered.db", keys: 40, isOrdered: true),
      try EpochCase("40 of 10 000 keys", path: folder + "/many.db", keys: 10_000, isOrdered: false),
      try EpochCase(
        "40 of 10 000 keys, in order", path: folder + "/many-ordered.db", keys: 10_000, isOrdered: true),
      try EpochCase(
        "40 of 40 keys, all lines in one", path: folder + "/few-one.db", keys: 40, isOrdered: false,
        isOneEntry: true),
      try EpochCase(
        "40 of 10 000 keys, all lines in one", path: folder + "/many-one.db", keys: 10_000, isOrdered: false,
        isOneEntry: true),
    ]
    var bareTimes = Times()
    var times = cases.map { _ in Times() }
    for turn in 0..<turns {
      try bareTimes.measure { () throws(StoreError) in try bare.run(turn) }
      for (index, each) in cases.enumerated() {
        try times[index].measure { () throws(StoreError) in try each.run(turn) }
      }
    }
    print(
      "commits of 40 changed keys and 40 lines, \(turns) in turn: median wall ms, times a bare transaction, CPU ms"
    )
    print("  \(bareTimes.wall) ms               \(bareTimes.cpu) ms  a bare transaction of one row")
    for (each, times) in zip(cases, times) {
      let ratio = rounded(times.wall / bareTimes.wall)
      print("  \(times.wall) ms  \(ratio) times  \(times.cpu) ms  \(each.name)")
    }
  }
}

/// One row into one table, in one transaction.
private final class BareCase {
  private let database: Database
  private let insert: Statement

  init(path: String) throws(StoreError) {
    database = try Database(path: path)
    try database.prepareToWrite()
    try database.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, value INTEGER NOT NULL)")
    insert = try database.statement("INSERT INTO rows (value) VALUES (?1)")
  }

  func run(_ turn: Int) throws(StoreError) {
    try database.transaction { () throws(StoreError) in
      insert.bind(1, Int64(turn))
      try insert.run()
    }
  }
}

/// An epoch of forty rows that have changed, and a line about each.
private final class EpochCase {
  let name: String
  private let file: StateFile
  private let table: KeyedTable
  private let keys: Int
  private let isOneEntry: Bool
  private var random = SystemRandomNumberGenerator()
  private let names: [[UInt8]]
  private static let changed = 40
  private static let row = [UInt8](repeating: UInt8(ascii: "r"), count: 250)
  private static let line = [UInt8](repeating: UInt8(ascii: "l"), count: 500)
  private static let lines = [UInt8](repeating: UInt8(ascii: "l"), count: 500 * changed)

  init(_ name: String, path: String, keys: Int, isOrdered: Bool, isOneEntry: Bool = false)
    throws(StoreError)
  {
    self.name = name
    self.isOneEntry = isOneEntry
    self.keys = keys
    file = try StateFile(path: path)
    table = try file.table(node: "changes", description: ".id", isOrdered: isOrdered)
    names = (0..<keys).map { Array("\($0)".utf8) }
    for name in names { table.set(Self.row, for: name) }
    try file.commit { _ in }
    file.checkpointWAL()
  }

  func run(_ turn: Int) throws(StoreError) {
    let offset = Int.random(in: 0..<keys, using: &random)
    for number in 0..<Self.changed {
      // Spread over all of them.
      table.set(Self.row, for: names[(offset + number * keys / Self.changed) % keys])
    }
    let entries = isOneEntry ? 1 : Self.changed
    let bytes = isOneEntry ? Self.lines : Self.line
    let written = OutputPlace(epoch: file.epoch, index: Int64(entries - 1))
    try file.commit { (epoch) throws(StoreError) in
      try epoch.set(.text("{\"offset\":\(turn)}"), owner: "input", name: "position")
      try epoch.set(.text("{\"now\":\(turn)}"), owner: "pipeline", name: "clock")
      try epoch.markWritten(sink: "output", through: written)
      for index in 0..<entries {
        let place = OutputPlace(epoch: epoch.number, index: Int64(index))
        try epoch.put(OutboxEntry(sink: "output", place: place, id: "", bytes: bytes))
      }
    }
  }
}

/// What each turn of a case took, in milliseconds.
private struct Times {
  private var walls: [Double] = []
  private var cpus: [Double] = []

  /// The medians, which what else the machine does moves least.
  var wall: Double { median(walls) }
  var cpu: Double { median(cpus) }

  mutating func measure(_ body: () throws(StoreError) -> Void) throws(StoreError) {
    let (wall, cpu) = (time(CLOCK_MONOTONIC), time(CLOCK_THREAD_CPUTIME_ID))
    try body()
    walls.append(time(CLOCK_MONOTONIC) - wall)
    cpus.append(time(CLOCK_THREAD_CPUTIME_ID) - cpu)
  }

  private func time(_ clock: clockid_t) -> Double {
    var time = timespec()
    clock_gettime(clock, &time)
    return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
  }
}

private func median(_ times: [Double]) -> Double { rounded(times.sorted()[times.count / 2]) }

private func rounded(_ value: Double) -> Double { (value * 100).rounded() / 100 }
