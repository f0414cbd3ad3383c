import Foundation
import TestSupport

/// A reader that follows a log with `tail -F` from its beginning, whatever happens to its writer.
final class TailReader {
  private let process = TestProcess()
  private let place: Place
  private let log: String
  private let seen: String

  init(_ log: String, in place: Place) throws {
    self.place = place
    self.log = log
    seen = "seen-\(log)"
    try place.write(seen, "")
    try place.write("tail-\(log)", "")
    process.executableURL = URL(fileURLWithPath: "/usr/bin/tail")
    process.arguments = ["-n", "+1", "-s", "0.05", "-F", log]
    process.currentDirectoryURL = URL(fileURLWithPath: place.path)
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: URL(fileURLWithPath: place[seen]))
    process.standardError = try FileHandle(forWritingTo: URL(fileURLWithPath: place["tail-\(log)"]))
    try process.run()
  }

  deinit { end() }

  private func end() {
    // It may have been started with other signals blocked.
    if process.isRunning { kill(process.processIdentifier, SIGKILL) }
  }

  /// Where what was seen differs from the log, in a sentence; nil where it does not.
  func difference() -> String? {
    let files = place.logFiles(log)
    var size = -1
    var deadline = Date()
    while difference(from: files) != nil {
      let seen = place.size(seen)
      if seen != size { deadline = Date(timeIntervalSinceNow: 3) }
      if Date() > deadline { break }
      size = seen
      usleep(20_000)
    }
    end()
    return difference(from: files)
  }

  /// Between two of its looks a name may be given to several files, of which it sees the last: then there are files
  /// that it has not seen, and all others it has seen whole.
  private func difference(from files: [Data]) -> String? {
    let seen = place.bytes(seen)
    var rest = seen[...]
    for file in files where rest.starts(with: file) { rest = rest.dropFirst(file.count) }
    if rest.isEmpty, seen.suffix(files.last?.count ?? 0) == files.last ?? Data() { return nil }
    return "tail -F has seen \(seen.count) bytes of \(log), and what they are is not what is there from byte "
      + "\(seen.count - rest.count) on"
  }
}
