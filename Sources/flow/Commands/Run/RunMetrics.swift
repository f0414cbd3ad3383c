import Engine
import Glibc
import Language
import Page
import Reactive
import System

/// The metrics of a run: `--metrics FILE`, and what the server of its page answers to programs.
final class RunMetrics: Sendable {
  static let file = CommandOption(
    "metrics", .path("FILE"), "write metrics for Prometheus to this file, every 15 s and at the end")

  static let about = """
    --metrics replaces FILE, which should end in .prom, as a whole: the textfile collector of node_exporter reads it, \
    also between runs with --once. With --page, the page's server answers /metrics with the same metrics and those of \
    the process, /healthz while the process lives, and /readyz with 503 as long as flow status would show a problem.
    """

  /// How often the file is written, in seconds.
  private static let interval = 15.0

  private let target: WholeFile
  private let monitor: any RunMonitor
  private let end = StopSign()
  /// Kept: a scheduler that goes drops what it has not begun.
  private let scheduler = SerialScheduler(name: "flow-metrics")
  /// The failure of the last write, so that each is reported once; locked while the file is written.
  private let failure = Locked<String?>(nil)
  private let log: NodeLog

  /// Writes the file, and again until `stop`; nil without `--metrics`.
  init?(_ arguments: Arguments, _ monitor: any RunMonitor, _ log: Log) throws(WrongUse) {
    guard let path = arguments.text(Self.file) else { return nil }
    self.monitor = monitor
    target = WholeFile(path: path, mode: 0o644, syncs: false, disk: SystemDisk(), makesFolders: false)
    self.log = NodeLog(log: log, pipeline: "", node: "metrics")
    // Only whether it can be: the metrics of an earlier run stay until there are others.
    if let problem = Self.failure({ [target] () throws(FileFailure) in _ = try target.begin() }) {
      throw WrongUse("--metrics: \(problem)")
    }
    target.abandon()
    scheduler.perform { [self] in
      while !end.wait(seconds: Self.interval) { write() }
    }
  }

  /// Writes the file for the last time.
  func stop() {
    end.set()
    scheduler.stop()
    write()
  }

  private func write() {
    let problem = failure.withLock { failure -> String? in
      let text = PrometheusText.text(monitor.status().pipelineMetrics)
      let before = failure
      failure = Self.failure { () throws(FileFailure) in
        let file = try target.begin()
        try file.append(Array(text.utf8))
        // Readable by all, whatever the umask is.
        chmod(file.path, 0o644)
        try target.finish(file)
      }
      if failure != nil { target.abandon() }
      return failure == before ? nil : failure
    }
    if let problem { log.error(problem) }
  }

  private static func failure(_ write: () throws(FileFailure) -> Void) -> String? {
    do throws(FileFailure) { try write() } catch { return "\(error)" }
    return nil
  }

  // MARK: - The server

  /// The answers of the page's server to programs.
  static func probes(_ status: @escaping @Sendable () -> RunStatus) -> PageProbes {
    PageProbes(
      metricsType: PrometheusText.type,
      metrics: { PrometheusText.text(status().metrics + ofProcess) },
      problems: {
        status().pipelines.flatMap { pipeline in pipeline.problems.map { "\(pipeline.name): \($0)" } }
      })
  }

  /// The metrics of the process, under the names that Prometheus has for them.
  static var ofProcess: [Metric] {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    var cpu = Metric("process_cpu_seconds_total", .counter, "User and system CPU time, in seconds.")
    cpu.add([], Double(time.tv_sec) + Double(time.tv_nsec) / 1e9)
    var memory = Metric("process_resident_memory_bytes", .gauge, "Resident memory, in bytes.")
    let pages = (try? readFile("/proc/self/statm", limit: 4096)).flatMap { bytes in
      String(decoding: bytes, as: UTF8.self).split(separator: " ").dropFirst().first.flatMap { Double($0) }
    }
    memory.add([], pages.map { $0 * Double(sysconf(Int32(_SC_PAGESIZE))) })
    var files = Metric("process_open_fds", .gauge, "Open file descriptors.")
    files.add([], openFiles.map { Double($0) })
    return [cpu, memory, files].filter { !$0.series.isEmpty }
  }

  private static var openFiles: Int? {
    guard let folder = opendir("/proc/self/fd") else { return nil }
    defer { closedir(folder) }
    var count = 0
    while readdir(folder) != nil { count += 1 }
    // Less the folder itself, `.` and `..`.
    return count - 3
  }
}
