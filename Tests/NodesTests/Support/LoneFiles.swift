import Trials
import TestSupport
import Glibc
import Reactive

@testable import Nodes
import System
@testable import Engine
@testable import Language

/// Line files by themselves, as a sink has them, and what they tell.
///
/// A kill releases them without writing anything.
struct LoneFiles {
  let files: LineFiles
  let log = Journal<Log.Entry>()
  let pauses = Journal<Double>()
  let stop = StopSign()

  /// `onPause` is called in each wait for room, with the number of it.
  init(
    _ rotation: Rotation = Rotation(), _ options: AppendFile.Options = .init(), header: [UInt8]? = nil,
    limit: Int = 64, disk: any Disk = SystemDisk(), now: Double = 0, keepsMarks: Bool = false,
    syncs: Bool = false,
    onPause: @escaping @Sendable (Int, StopSign) -> Void = { _, _ in }
  ) {
    let world = World(
      wallClock: { now }, random: { 0 }, environment: { _ in nil }, disk: disk,
      pause: { [pauses] seconds, stop in
        pauses.note(seconds)
        onPause(pauses.entries.count, stop)
        return stop.isSet
      })
    let context = SinkContext.lone(world, stop: stop, syncs: syncs) { [log] entry in log.note(entry) }
    files = LineFiles(rotation, options, header: header, limit: limit, context, keepsMarks: keepsMarks)
  }

  /// What was told, by one level or by any.
  func told(_ level: Log.Level? = nil) -> [String] {
    log.entries.filter { level == nil || $0.level == level }.map(\.message)
  }

  /// Adds bytes and writes them.
  func write(_ bytes: some Sequence<UInt8>, to path: String) throws {
    try files.append(Array(bytes), to: path)
    try files.write()
  }

  /// The one mark of a path, kept.
  func keepMark(of path: String, synced: Bool = false) throws -> FileMark? {
    let mark = try files.marks(synced: synced).first { $0.path == path }?.mark
    files.marksAreKept()
    return mark
  }
}
