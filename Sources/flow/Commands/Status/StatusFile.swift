import Engine
import Glibc
import JSON
import Language
import System

/// The status of a pipeline's last run, `NAME.status` beside its state: written when a run starts and when it ends.
///
/// A file that says that the pipeline runs, while its process is gone, is of a run that was killed.
struct StatusFile {
  private let path: String

  init(of pipeline: String, in folder: String) { path = "\(folder)/\(pipeline).status" }

  /// The status, and the process that wrote it; nil where there is none, or none that can be read.
  func read() -> (status: PipelineStatus, process: Int)? {
    guard let bytes = try? readFile(path, limit: 16 << 20), let json = try? Value.parse(bytes),
      let status = PipelineStatus(member: json.member("status")),
      let process = Int(member: json.member("process"))
    else { return nil }
    return (status, process)
  }

  /// Replaces the file.
  ///
  /// One that cannot be written, on a full disk say, is of no concern to the run.
  func write(_ status: PipelineStatus) {
    let record = Value.record([("process", .number(Int(getpid()))), ("status", status.jsonValue)])
    let file = WholeFile(path: path, mode: 0o600, syncs: false, disk: SystemDisk())
    try? file.write(record.json + [0x0a])
  }
}
