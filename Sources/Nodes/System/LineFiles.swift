import JSON
import Pipeline

/// Files that lines are added to, as many open at a time as is allowed; what a disk does not take is offered again.
final class LineFiles {
  final class File {
    let path: String
    /// What is still to be written.
    let lines = Output()
    fileprivate let file: RotatingFile
    fileprivate var lastUsed = 0

    fileprivate init(_ path: String, _ file: RotatingFile) {
      self.path = path
      self.file = file
    }
  }

  struct NotWritten: Error, CustomStringConvertible {
    let failure: FileFailure
    let bytes: Int
    var description: String { "\(failure); \(bytes) bytes could not be written before the end" }
  }

  private let rotation: Rotation
  private let options: AppendFile.Options
  private let limit: Int
  private let context: SinkContext
  private var files: [String: File] = [:]
  private var clock = 0

  init(_ rotation: Rotation, _ options: AppendFile.Options, limit: Int, _ context: SinkContext) {
    self.rotation = rotation
    self.options = options
    self.limit = limit
    self.context = context
  }

  /// The file of a path; it will be written with the others.
  func file(_ path: String) throws -> File {
    clock += 1
    if let file = files[path] {
      file.lastUsed = clock
      return file
    }
    if files.count >= limit { try closeOldest() }
    let log = context.log
    let opened = File(path, try RotatingFile(path, rotation, options, now: now) { log.notice($0) })
    opened.lastUsed = clock
    files[path] = opened
    return opened
  }

  /// Writes what the files are still to be given.
  func write() throws {
    for file in files.values where file.lines.count > 0 { try write(file) }
  }

  func close() {
    for file in files.values { file.file.finishPacking() }
    files = [:]
  }

  private var now: Int { Int(context.lane.world.wallClock()) }

  private func closeOldest() throws {
    guard let oldest = files.values.min(by: { $0.lastUsed < $1.lastUsed }) else { return }
    try write(oldest)
    oldest.file.finishPacking()
    files[oldest.path] = nil
  }

  /// Writes all of a file's lines, waiting for room as long as it takes.
  private func write(_ file: File) throws {
    defer { file.lines.removeAll() }
    try file.lines.withBytes { bytes in
      var rest = UnsafeRawBufferPointer(bytes)
      var lastTold: ContinuousClock.Instant?
      while !rest.isEmpty {
        do throws(FileFailure) {
          try file.file.append(rest, now: now)
          if lastTold != nil { context.log.notice("\(file.path) can be written again") }
          return
        } catch {
          rest = UnsafeRawBufferPointer(rebasing: rest[min(error.written, rest.count)...])
          if lastTold.map({ $0.duration(to: .now) > .seconds(60) }) ?? true {
            context.log.error("\(error); the pipeline waits until it can be written")
            context.meter.countError()
            lastTold = .now
          }
          if context.stop.wait(seconds: 0.5) { throw NotWritten(failure: error, bytes: rest.count) }
        }
      }
    }
  }
}
