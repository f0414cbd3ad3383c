import Glibc
import Reactive
import Synchronization

import System

/// A line for a shell, as a command that must not take long.
package func shell(_ line: String, timeout: Duration = .seconds(60)) -> ChildCommand {
  ChildCommand(arguments: ["/bin/sh", "-c", line], output: .captured(limit: 1 << 20), timeout: timeout)
}

package func text(_ result: ChildResult) -> String { String(decoding: result.output, as: UTF8.self) }

/// The lines of a log without their timestamps, which differ from run to run.
package func withoutTimes(_ log: String) -> String {
  log.replacing(#/(?m)^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ (?=\S)/#, with: "")
}

/// How long `body` took.
package func elapsed(_ body: () throws -> Void) rethrows -> Duration {
  let start = MonotonicClock.now
  try body()
  return MonotonicClock.now - start
}

/// The processor time that `body` took on this thread: other tests, and other programs, do not count.
package func processorTime(_ body: () throws -> Void) rethrows -> Duration {
  func now() -> Duration {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return .seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
  }
  let start = now()
  try body()
  return now() - start
}

/// Looks again and again, for so many seconds.
package func eventually(patience: Int64 = 60, _ condition: () -> Bool) -> Bool {
  let end = MonotonicClock.now + .seconds(patience)
  while MonotonicClock.now < end {
    if condition() { return true }
    usleep(2000)
  }
  return condition()
}

/// What several threads have noted.
package final class Journal<Entry: Sendable>: Sendable {
  private let notes = Locked<[Entry]>([])
  package init() {}
  package func note(_ entry: Entry) { notes.withLock { $0.append(entry) } }
  package var entries: [Entry] { notes.withLock { $0 } }
}

/// Runs `body` on a thread of its own.
package func inBackground(_ body: @escaping @Sendable () -> Void) {
  let thread = SerialScheduler(name: "test")
  thread.perform {
    body()
    thread.stop()
  }
}

/// What a folder lists.
package func names(in folder: String) -> [String] {
  guard let listing = opendir(folder) else { return [] }
  defer { closedir(listing) }
  var names: [String] = []
  while let entry = readdir(listing) {
    names.append(
      withUnsafePointer(to: &entry.pointee.d_name) {
        String(cString: UnsafeRawPointer($0).assumingMemoryBound(to: CChar.self))
      })
  }
  return names.filter { $0 != "." && $0 != ".." }
}

/// The beginning of a small file.
package func contents(of path: String) -> String {
  guard let file = fopen(path, "r") else { return "" }
  defer { fclose(file) }
  var bytes = [UInt8](repeating: 0, count: 4096)
  let count = fread(&bytes, 1, bytes.count, file)
  return String(decoding: bytes.prefix(count), as: UTF8.self)
}

/// The state the system says a process is in; nil if there is none of that number.
package func state(of process: String) -> Character? {
  contents(of: "/proc/\(process)/stat").split(separator: ")").last?.first { $0 != " " }
}

/// Whether a process is gone, or only waits for its status to be taken.
package func isDead(_ process: String) -> Bool { (state(of: process) ?? "Z") == "Z" }

/// A folder for one test, gone with the value.
package final class Folder {
  package let path: String

  package init() {
    var template = Array("/tmp/flow-tests-XXXXXX".utf8CString)
    path = mkdtemp(&template).map { String(cString: $0) } ?? "/tmp"
  }

  deinit { TemporaryFolder.remove(path) }

  /// Writes a file there; its path.
  package func write(_ name: String, _ text: String, mode: mode_t = 0o755) -> String {
    let file = "\(path)/\(name)"
    if let stream = fopen(file, "w") {
      fputs(text, stream)
      fclose(stream)
    }
    chmod(file, mode)
    return file
  }
}
