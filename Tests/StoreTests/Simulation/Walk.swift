import Reactive
import System
import Glibc
import SimulatedDisk

@testable import Store

/// Why a walk ended early.
struct WalkFailure: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// A random life of a state file on a simulated disk, beside a model of it: changes, commits, crashes, a disk that
/// fails or is full, and after each restart a look at what is left.
struct Walk {
  static let path = "/var/state/p.db"

  let seed: UInt64
  let disk: SimulatedDisk
  let nodes: [String]
  let isSynced: Bool
  var dice: SplitMix64
  var options = StateFile.Options()
  var process: SimulatedProcess
  var state: StateFile?

  /// What was last acknowledged.
  var kept: StateModel
  /// What a stop may leave instead: of a commit that failed or was interrupted.
  var doubtful: [StateModel] = []
  /// What a power cut may leave as well where nothing is synced: what was acknowledged since the last one.
  var earlier: [StateModel] = []
  var wasCut = false
  /// The tables with what waits for the next commit.
  var tables: [String: KeyedTableModelTests.Model]
  var log: [String] = []

  /// `isCareless` walks without syncs and expects as much as with them.
  init(seed: UInt64, nodes: [String]? = nil, isCareless: Bool = false) {
    self.seed = seed
    dice = SplitMix64(seed: seed)
    isSynced = dice.next() % 4 != 0 || isCareless
    disk = SimulatedDisk(
      .init(
        seed: dice.next(), names: dice.next() % 4 == 0 ? .separate : .journaled,
        leavesGarbage: dice.next() % 2 == 0, failedSyncLosesWrites: isSynced))
    process = disk.start()
    options.database.sync = isSynced && !isCareless ? .everyCommit : .never
    options.database.cacheBytes = [16 << 10, 64 << 10, 1 << 20].randomElement(using: &dice) ?? 0
    options.database.checkpointPages = [2, 8, 40, 2000].randomElement(using: &dice) ?? 0
    options.largeOutputBytes = [1, 30, 100_000].randomElement(using: &dice) ?? 0
    options.tableCacheBytes = [0, 500, 4000].randomElement(using: &dice) ?? 0
    let hasTwo = dice.next() % 4 == 0
    self.nodes = nodes ?? Array(StateModel.nodes.prefix(hasTwo ? 2 : 1))
    kept = StateModel(nodes: self.nodes)
    tables = kept.tables
  }

  /// Walks; of a walk that fails it says all that helps to find out why.
  mutating func run(steps: Int) throws {
    do {
      // The folder above is the system's.
      try process.makeFolder("/var")
      try process.syncFolder("/")
      try open()
      for _ in 0..<steps {
        try step()
        if disk.isStopped { try restart() }
      }
      try end()
    } catch {
      throw WalkFailure(
        """
        seed \(seed): \(error)
        again: SWIFT_DETERMINISTIC_HASHING=1 FLOW_SEED=\(seed) swift test --filter SimulationTests/walks
        \(options.database) on \(disk.options)
        did: \(log.suffix(40).joined(separator: "; "))
        disk:
        \(disk.trace(last: 60).joined(separator: "\n"))
        """)
    }
  }

  mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &dice) }

  private mutating func step() throws {
    switch below(100) {
    case 0..<43: try changeTable()
    case 43..<71:
      switch try write(isCommit: below(3) > 0) {
      case .goesOn: break
      case .closes: try close()
      case .restarts: try restart()
      }
    case 71..<74: try look()
    case 74..<77: try close()
    case 77..<81: try restart()
    case 81..<89:
      let number = 1 + below([4, 30, 100][below(3)])
      log.append("stop at operation \(disk.operations + number)")
      disk.stop(atOperation: number)
    case 89..<94:
      let operation = [DiskOperation.write, .sync, .truncate, .create, .remove, .read][below(6)]
      log.append("fail a \(operation.rawValue)")
      disk.add(DiskFault(operation, .number(1 + below(6)), code: EIO, bytesBefore: below(2) * below(5000)))
    case 94..<96: try readBadly()
    default:
      let room = below(12_000)
      log.append("room for \(room) bytes")
      disk.capacity = disk.usedBytes + room
    }
  }

  private mutating func changeTable() throws {
    guard let node = nodes.randomElement(using: &dice), let table = try table(node) else { return }
    for _ in 0..<1 + below(8) {
      let key = bytes("\(below(40))")
      let before = tables[node]?.values[key]
      switch below(20) {
      case 0..<11:
        let count = below(12) == 0 ? 5000 : below(200)
        let value = Array(repeating: UInt8.random(in: 0...255, using: &dice), count: count)
        table.set(value, for: key)
        tables[node]?.set(value, for: key)
      case 11..<15:
        try check(table.remove(key) == before || isDoubtful, "removed another value")
        tables[node]?.remove(key)
      case 15..<18: try check(table.value(for: key) == before || isDoubtful, "read another value")
      case 18:
        try check(table.oldest?.key == tables[node]?.keys.first || isDoubtful, "another key is the oldest")
      default:
        guard below(6) == 0 else { continue }
        table.removeAll()
        tables[node] = .init()
      }
    }
    log.append("change \(node)")
  }

  /// Whether a read has failed, which the next commit must say.
  private var isDoubtful: Bool { state?.database.readError != nil }

  private mutating func readBadly() throws {
    log.append("fail reads")
    disk.add(DiskFault(.read, .oneIn(1), code: EIO))
    try changeTable()
    disk.removeFaults()
  }

  /// What a walk does after a commit.
  private enum Next { case goesOn, closes, restarts }

  /// A commit, or an update between two, of random things.
  private mutating func write(isCommit: Bool) throws -> Next {
    guard let state else { return .goesOn }
    var next = kept
    if isCommit {
      next.epoch += 1
      next.tables = tables
    }
    var actions: [StateAction] = []
    for _ in 0..<below(5) {
      let action = StateAction.random(next, &dice)
      action.apply(to: &next)
      actions.append(action)
    }
    log.append("\(isCommit ? "commit" : "update") \(next.epoch) at operation \(disk.operations)")
    let body = { [actions] (epoch: borrowing Epoch) throws(StoreError) in
      for action in actions { try action.apply(to: epoch) }
    }
    var (tries, operations) = (0, 0)
    while true {
      operations = disk.operations
      let failure = attempt { () throws(StoreError) in
        if isCommit { try state.commit(body) } else { try state.update(body) }
      }
      guard let failure else { break }
      log.append("failed: \(failure.reason)")
      doubtful.append(next)
      if disk.isStopped { return .restarts }
      try check(failure.isFull || failure.kind == .disk, "unexpected failure: \(failure)")
      if failure.isFull { try check(disk.capacity != nil, "full without a limit") }
      let wasRead = state.database.readError != nil
      relieve()
      tries += 1
      try check(tries < 3, "fails on a disk that is sound: \(failure)")
      if wasRead || below(3) == 0 {
        // Changes that rest on a failed read were not written.
        if wasRead { doubtful.removeLast() }
        return .closes
      }
      if failure.kind == .disk, below(2) == 0 { return below(2) == 0 ? .closes : .restarts }
    }
    try check(state.epoch == next.epoch, "epoch \(state.epoch) instead of \(next.epoch)")
    // Where there was nothing to write, what failed before may still come back.
    if disk.operations > operations { acknowledge(next) }
    return .goesOn
  }

  mutating func acknowledge(_ model: StateModel) {
    if !isSynced { earlier += doubtful + [kept] }
    kept = model
    doubtful = []
  }

  /// Takes all that makes operations fail from the disk.
  mutating func relieve() {
    disk.removeFaults()
    disk.capacity = nil
  }

  func table(_ node: String) throws -> KeyedTable? { try state?.table(node: node, description: "d") }

  func check(_ isSo: Bool, _ complaint: @autoclosure () -> String) throws {
    if !isSo { throw WalkFailure(complaint()) }
  }

  func attempt(_ body: () throws(StoreError) -> Void) -> StoreError? {
    do throws(StoreError) {
      try body()
      return nil
    } catch {
      return error
    }
  }
}
