import System
import JSON
import Engine
import Language

/// The recording of one source, a line for each poll, or that of lookups; new lines are appended.
///
/// A recording matters less than the run: a failure to write it is reported once, and the run continues.
package final class RecordingFile {
  private let path: String
  private let disk: any Disk
  private let log: NodeLog
  /// The noun for its lines in the log.
  private let things: String
  private var file: AppendFile?
  /// The time of the last line; nil until that was looked for.
  private var latest: Double?
  /// Lines that could not be written since the last one that was.
  private var missing = 0

  package init(_ path: String, on disk: any Disk, _ log: NodeLog, of things: String = "polls") {
    self.path = path
    self.disk = disk
    self.log = log
    self.things = things
  }

  package func add(_ poll: RecordedPoll) {
    write { file throws(FileFailure) in
      if latest == nil, file.isRegular { latest = try lastTime(size: file.size) }
      var poll = poll
      // After the clock was set back it would be earlier than the last line, which cannot be replayed.
      poll.at = max(poll.at, latest ?? poll.at)
      try file.append(poll.line)
      latest = poll.at
    }
  }

  /// Appends a line; an empty one only creates the file.
  func add(line: [UInt8]) {
    write { file throws(FileFailure) in try file.append(line) }
  }

  private func write(_ body: (AppendFile) throws(FileFailure) -> Void) {
    do throws(FileFailure) {
      try body(try open())
      if missing > 0 {
        log.notice(
          "\(things) are recorded again; \(missing) \(missing == 1 ? "is" : "are") missing from \(path)")
      }
      missing = 0
    } catch {
      // Opened anew, it ends a line that was cut off.
      file = nil
      if missing == 0 { log.warning("\(error); the run goes on, and its \(things) are not recorded") }
      missing += 1
    }
  }

  private func open() throws(FileFailure) -> AppendFile {
    if let file { return file }
    let opened = try AppendFile(path, AppendFile.Options(mode: 0o600), on: disk)
    file = opened
    return opened
  }

  /// The time of the last line that is a poll.
  private func lastTime(size: Int) throws(FileFailure) -> Double? {
    if size == 0 { return nil }
    let disk = disk
    let reader = try FileFailure.of(path, trying: "open") { () throws(DiskError) in
      try disk.open(toRead: path, followsLinks: true)
    }
    var length = 1 << 16
    while true {
      length = min(length, size)
      let bytes = try readBytes(reader, from: size - length, length, of: path)
      let isAll = length == size
      // The first piece may be the end of a line only.
      let lines = bytes.split(separator: 0x0a).dropFirst(isAll ? 0 : 1)
      for line in lines.reversed() {
        if let value = try? Value.parse(Array(line)), let time = RecordedPoll.time(of: value) { return time }
      }
      if isAll { return nil }
      length *= 8
    }
  }
}
