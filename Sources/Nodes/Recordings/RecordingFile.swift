import JSON
import Pipeline

/// The recording of one source: a line for each poll, added to whatever is there.
///
/// A recording is worth less than the run: where it cannot be written that is told once, and the run goes on.
final class RecordingFile {
  private let path: String
  private let disk: any Disk
  private let log: NodeLog
  private var file: AppendFile?
  /// The time of the last line; nil until that was looked for.
  private var latest: Double?
  /// Polls that could not be written down since the last one that was.
  private var missing = 0

  init(_ path: String, on disk: any Disk, _ log: NodeLog) {
    self.path = path
    self.disk = disk
    self.log = log
  }

  func add(_ poll: RecordedPoll) {
    do throws(FileFailure) {
      let file = try open()
      var poll = poll
      // By a clock that was set back it would be before the last one, which nobody could replay.
      poll.at = max(poll.at, latest ?? poll.at)
      try file.append(poll.line)
      latest = poll.at
      if missing > 0 {
        log.notice("polls are recorded again; \(missing) \(missing == 1 ? "is" : "are") missing from \(path)")
      }
      missing = 0
    } catch {
      // Opened anew, it ends a line that was cut off.
      file = nil
      if missing == 0 { log.warning("\(error); the run goes on, and its polls are not recorded") }
      missing += 1
    }
  }

  private func open() throws(FileFailure) -> AppendFile {
    if let file { return file }
    let opened = try AppendFile(path, on: disk)
    if latest == nil, opened.isRegular { latest = try lastTime(size: opened.size) }
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
      let bytes = try read(reader, from: size - length, length)
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

  private func read(_ file: any DiskFile, from start: Int, _ count: Int) throws(FileFailure) -> [UInt8] {
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 1)
    defer { buffer.deallocate() }
    var filled = 0
    while filled < count {
      let room = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
      let got = try FileFailure.of(path, trying: "read") { () throws(DiskError) in
        try file.read(at: start + filled, into: room)
      }
      if got == 0 { break }
      filled += got
    }
    return Array(buffer[..<filled])
  }
}
