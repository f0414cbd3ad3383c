import Reactive
import Synchronization

/// A disk in memory for tests, with plain files and SQLite databases, which loses power on demand.
///
///     let disk = SimulatedDisk(.init(seed: 7))
///     let process = disk.start()
///     let file = try process.open("/log", .create)
///     try file.append(bytes)
///     try file.sync()
///     disk.crash()  // what was synced is there, and some of the rest
///     let after = try disk.start().read("/log")
///
/// The same seed and the same calls give the same disk, byte for byte; it may be used from several threads. Nothing
/// touches the file system of the machine. SQLite draws the salts in its files from a generator of its own, which all
/// its connections share: these bytes differ from run to run, what is done with them does not.
public final class SimulatedDisk: Sendable {
  public static let sectorSize = 512

  /// When a name, or that it is gone, outlives a power cut.
  public enum Names: Sendable {
    /// As on ext4: with the folder's sync, or that of the newly named file, and with it all that went before.
    case journaled
    /// As POSIX promises: with the sync of its folder alone.
    case separate
  }

  public struct Options: Sendable {
    public var seed: UInt64
    public var names: Names
    /// Whether what lies in a hole after a power cut is old content of the disk instead of zeros.
    public var leavesGarbage: Bool
    /// Whether a sync that fails takes what it was to write for written, as Linux does.
    public var failedSyncLosesWrites: Bool

    public init(
      seed: UInt64, names: Names = .journaled, leavesGarbage: Bool = false, failedSyncLosesWrites: Bool = true
    ) {
      (self.seed, self.names) = (seed, names)
      (self.leavesGarbage, self.failedSyncLosesWrites) = (leavesGarbage, failedSyncLosesWrites)
    }
  }

  public let options: Options
  let state: Locked<DiskState>
  /// Distinguishes its VFSs from those of other disks.
  let number: Int

  public init(_ options: Options) {
    self.options = options
    state = Locked(DiskState(options))
    number = SimulatedDisk.count.wrappingAdd(1, ordering: .relaxed).newValue
  }

  private static let count = Atomic(0)

  /// A process that sees the disk until it is stopped.
  public func start() -> SimulatedProcess {
    let (stops, number) = state.withLock { ($0.stops, $0.next()) }
    return SimulatedProcess(self, number: number, stops: stops)
  }
}

extension SimulatedDisk {
  // MARK: Stops

  /// The power goes out: every process ends, and of what was not synced any part may be there.
  public func crash() { state.withLock { $0.crash() } }

  /// Every process ends as by `kill -9`: what they have written stays.
  public func kill() { state.withLock { $0.kill() } }

  /// Has everything from the n-th operation on fail, that one included, which may be done in part, until `crash` or
  /// `kill` says how it ended.
  public func stop(atOperation number: Int) {
    state.withLock { $0.stopAt = $0.operations + max(1, number) }
  }

  /// Whether the operation was reached at which everything stops.
  public var isStopped: Bool { state.withLock { $0.isStopped } }

  /// Takes back what `stop` asked for and has not happened yet.
  public func cancelStop() { state.withLock { $0.stopAt = nil } }

  // MARK: Faults

  public func add(_ fault: DiskFault) { state.withLock { $0.faults.append(fault) } }
  public func removeFaults() { state.withLock { $0.faults = [] } }
  /// The faults that are still to happen.
  public var faultCount: Int { state.withLock { $0.faults.count } }

  /// The size limit of all files together, beyond which a write is shortened or fails.
  public var capacity: Int? {
    get { state.withLock { $0.capacity } }
    set { state.withLock { $0.capacity = newValue } }
  }

  /// How many bytes they have.
  public var usedBytes: Int { state.withLock { $0.used } }

  // MARK: What happened

  /// How many operations have changed the disk, or were to.
  public var operations: Int { state.withLock { $0.operations } }

  /// The last operations that changed the disk or failed, a line each.
  public func trace(last count: Int = 60) -> [String] { state.withLock { $0.trace.lines(count) } }

  /// Of a file's content, what a power cut is sure to leave; nil where it has no name now.
  public func durableContent(_ path: String) -> [UInt8]? {
    state.withLock { state in state.names.current.files[path].flatMap { state.inodes[$0]?.durable.bytes } }
  }
}
