import System

/// The write-ahead log on a disk with little room: it is checkpointed before it fills the disk.
///
/// A checkpoint needs room itself, for the pages that are new in the file. So the log may not grow until the disk is full.
extension Database {
  /// Where less than this is free, the log is kept small enough that its checkpoint always has room.
  private static let tightBytes = 64 << 20

  private var logPath: String { path + "-wal" }

  /// Runs a change that commits; again after a checkpoint if the disk was full.
  // Swift 6.3's optimiser aborts where it inlines a call whose closure borrows what cannot be copied.
  @inline(never)
  func withRoom<Result>(
    on disk: any Disk, _ body: () throws(StoreError) -> Result
  ) throws(StoreError) -> Result {
    let result: Result
    do throws(StoreError) {
      result = try body()
    } catch {
      guard error.isFull, makeRoom(disk) else { throw error }
      result = try body()
    }
    boundLog(disk)
    return result
  }

  /// Checkpoints and truncates the log before its growth could take the room that its checkpoint may need.
  private func boundLog(_ disk: any Disk) {
    guard let free = disk.freeBytes(beside: path), free < Self.tightBytes,
      let size = disk.status(of: logPath)?.size, size >= 64 << 10, size > free / 2
    else { return }
    emptyLog()
  }

  /// Checkpoints and truncates the log on a full disk; false if that gives no room.
  private func makeRoom(_ disk: any Disk) -> Bool {
    guard let size = disk.status(of: logPath)?.size, size > 0 else { return false }
    emptyLog()
    return (disk.status(of: logPath)?.size ?? 0) < size
  }

  /// Checkpoints the log into the file and truncates it, as far as other connections allow.
  func emptyLog() {
    crashPoint("state.tidying")
    try? execute("PRAGMA wal_checkpoint(TRUNCATE)")
    crashPoint("state.tidied")
  }
}
