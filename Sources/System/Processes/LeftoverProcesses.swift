import Glibc
import Reactive

/// The processes left by a killed run of this program, identified by a variable in their environment.
///
/// Processes inherit their environment, so those started by a command are found, too. The holder of a state's lock
/// finds all of them: a child that has not reached its exec yet still holds the lock. Without `/proc` none is found.
package enum LeftoverProcesses {
  /// The time limit for SIGKILL.
  private static let timeout: Duration = .seconds(2)

  /// Kills every process whose variable `name` has one of the values; returns how many there were.
  ///
  /// With `asCommands`, only commands that this program has begun and that have not ended, each with its process group:
  /// what an ended command has left in the background goes on.
  package static func end(having name: String, among values: Set<String>, asCommands: Bool = false) -> Int {
    if values.isEmpty { return 0 }
    let entries = Set(values.map { "\(name)=\($0)" })
    let deadline = MonotonicClock.now + timeout
    var killed: Set<pid_t> = []
    // Again, because a process may have started another one meanwhile.
    while true {
      let found = processes.filter {
        // A command leads a group in the session of its run.
        $0 != getpid() && (!asCommands || getpgid($0) == $0 && getsid($0) != $0) && hasVariable($0, entries)
      }
      for process in found { _ = kill(asCommands ? -process : process, SIGKILL) }
      killed.formUnion(found)
      if found.isEmpty || MonotonicClock.now >= deadline { return killed.count }
      usleep(5000)
    }
  }

  /// The message about processes that were ended.
  package static func message(_ count: Int) -> String {
    "\(count) process\(count == 1 ? "" : "es") left by commands of a killed run \(count == 1 ? "was" : "were") "
      + "still running and \(count == 1 ? "was" : "were") terminated"
  }

  /// The numbers of all processes.
  package static var processes: [pid_t] {
    guard let folder = opendir("/proc") else { return [] }
    defer { closedir(folder) }
    var numbers: [pid_t] = []
    while let entry = readdir(folder) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { name in
        name.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      if let number = pid_t(name) { numbers.append(number) }
    }
    return numbers
  }

  /// Whether a process was started with one of the entries in its environment; false if that cannot be read.
  private static func hasVariable(_ process: pid_t, _ entries: Set<String>) -> Bool {
    let file = Descriptor(owning: open("/proc/\(process)/environ", O_RDONLY | O_CLOEXEC))
    guard file.isOpen else { return false }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 1 << 16)
    while bytes.count < 4 << 20 {
      let count = retrying { read(file.number, &chunk, chunk.count) }
      guard count > 0 else { break }
      bytes += chunk[..<count]
    }
    return bytes.split(separator: 0).contains { entries.contains(String(decoding: $0, as: UTF8.self)) }
  }
}
