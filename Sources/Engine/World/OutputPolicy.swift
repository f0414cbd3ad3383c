import Glibc
import JSON
import Language
import Reactive
import System

/// The output policy of a run: which files sinks write, and whether sinks act on anything but files.
///
/// A simulated or replayed run keeps away from real outputs. Its files lie below a folder of its own, and its sinks run
/// no commands, send no requests and show no notifications:
///
///     OutputPolicy(below: "out/sky", of: .simulation, reason: "under --sky").path(of: "out/a.jsonl")  // "out/sky/a.jsonl"
///
/// The paths of all files that sinks and error policies write go through `place`; deliveries ask `isLive`.
public struct OutputPolicy: Sendable {
  /// Whose outputs they are.
  public enum Owner: Sendable {
    case realRuns
    /// A simulated or replayed run: it replaces the files that an earlier one has left, and touches no others.
    case simulation
  }

  /// The folder that real outputs lie in by convention; other folders replace it.
  public static let standardFolder = "out"
  /// More files than this are not compared in a real run, and refused in a simulated one.
  private static let mostPlaces = 100_000

  /// Nil where paths are used as they are.
  public let folder: String?
  public let owner: Owner
  /// Whether paths outside `out/` are used as they are.
  public let keepsOtherPaths: Bool
  /// Whether commands are run, requests sent and notifications shown.
  public let isLive: Bool
  /// Why outputs are not the real ones, as the end of a sentence: `under --sky`.
  public let reason: String
  /// Whether folders and files may be created and removed; a dry run does not.
  public let touchesDisk: Bool
  private let record = Record()

  /// The places that were used so far.
  private final class Record: Sendable {
    struct State: Sendable {
      var simulated: SimulatedFiles?
      /// The paths in pipeline files, by their places.
      var paths: [String: String] = [:]
      var reported: Set<String> = []
      /// The pipelines that continue the files of an earlier run.
      var continuing: Set<String> = []
    }

    let state = Locked(State())
  }

  /// The outputs as pipeline files name them.
  public static let real = OutputPolicy(below: nil)

  public init(
    below folder: String?, of owner: Owner = .realRuns, keepsOtherPaths: Bool = false, isLive: Bool = true,
    reason: String = "", touchesDisk: Bool = true
  ) {
    self.folder = folder.map { $0.last == "/" ? String($0.dropLast()) : $0 }
    self.owner = owner
    self.keepsOtherPaths = keepsOtherPaths
    self.isLive = isLive
    self.reason = reason
    self.touchesDisk = touchesDisk
  }

  // MARK: - The rule

  /// The path that is written for one in a pipeline file.
  ///
  /// Below the folder, the path is what follows `out/`; any other path as it is, without a leading `/`, and without
  /// `..`, which never leads out of the folder. Standard streams and `/dev/null` stay.
  package func path(of given: String) -> String {
    guard let folder else { return given }
    if given.hasPrefix("/dev/") {
      let name = given.dropFirst("/dev/".count)
      if ["null", "stdout", "stderr", "tty"].contains(name) || name.hasPrefix("fd/") { return given }
    }
    var parts: [Substring] = []
    var isBelow = !given.hasPrefix("/")
    for part in given.split(separator: "/") where part != "." {
      if part != ".." { parts.append(part) } else if parts.popLast() == nil { isBelow = false }
    }
    let isStandard = isBelow && parts.count > 1 && parts[0] == Self.standardFolder
    if isStandard { parts.removeFirst() } else if keepsOtherPaths { return given }
    return ([Substring(folder)] + parts).joined(separator: "/")
  }

  // MARK: - Use

  private static func mixing(_ new: String, with old: String, in path: String) -> Sentence {
    Sentence("\(path) has \(old) outputs, which \(new) ones must not join; name another folder with --out")
  }

  /// The path to write for one in a pipeline file; its first use removes the file of an earlier simulated run.
  func place(_ given: String, of pipeline: String, on disk: any Disk) throws -> String {
    let path = path(of: given)
    guard touchesDisk, let folder, path.hasPrefix(folder + "/") else { return path }
    try record.state.withLock { state in
      if let other = state.paths[path] {
        if normalized(other) == normalized(given) { return }
        throw Sentence(
          "\(other) and \(given) would both be written to \(path) \(reason); rename one of them")
      }
      guard state.paths.count < Self.mostPlaces else {
        if owner == .realRuns { return }
        throw Sentence("\(path): the run has written \(Self.mostPlaces) files, and may write no more")
      }
      if state.simulated == nil { state.simulated = try SimulatedFiles(in: folder, on: disk) }
      let name = String(path.dropFirst(folder.count + 1))
      let isListed = state.simulated?.contains(name) == true
      switch owner {
      case .realRuns: if isListed { throw Self.mixing("real", with: "simulated", in: path) }
      case .simulation:
        if !isListed, disk.status(of: path)?.isRegular == true {
          throw Self.mixing("simulated", with: "real", in: path)
        }
        if isListed, !state.continuing.contains(pipeline) { remove(path, on: disk) }
        try state.simulated?.add(name, on: disk)
      }
      state.paths[path] = given
    }
    return path
  }

  /// Has a pipeline continue the files of an earlier run, because it continues that run's state.
  public func continueFiles(of pipeline: String) {
    record.state.withLock { _ = $0.continuing.insert(pipeline) }
  }

  /// Reports, once for each path, where a file is written instead; of a path that depends on data, the folder.
  func report(_ given: String, isFolder: Bool = false, to log: NodeLog) {
    guard touchesDisk, let folder else { return }
    let name = !isFolder ? given : given.isEmpty ? "_" : "\(given)/_"
    let path = path(of: name)
    if path == name || !record.state.withLock({ $0.reported.insert(name).inserted }) { return }
    if !isFolder { return log.notice("\(given) is written to \(path) \(reason)") }
    let place = path.dropLast("/_".count)
    log.notice(
      given.isEmpty
        ? "files named by data are written to \(folder) \(reason)"
        : "files in \(given) are written to \(place) \(reason)")
  }

  // MARK: - Files of earlier runs

  /// Removes the file of an earlier run, and those that it was rotated to.
  private func remove(_ path: String, on disk: any Disk) {
    if let status = disk.status(of: path) {
      guard status.isRegular, isUnused(path, on: disk) else { return }
      disk.unlink(path)
    }
    for number in 1... {
      let names = ["\(path).\(number)", "\(path).\(number).gz"].filter(disk.exists)
      if names.isEmpty { return }
      for name in names { disk.unlink(name) }
    }
  }

  /// Whether no other process is writing a file: where one is, the sink reports that.
  private func isUnused(_ path: String, on disk: any Disk) -> Bool {
    guard let file = try? disk.open(toAppend: path, mode: 0o644, followsLinks: false) else { return true }
    do throws(DiskError) {
      try file.claim()
      return true
    } catch {
      return error.code != EWOULDBLOCK
    }
  }
}

/// The files in a folder that simulated runs have written, listed in `.simulated` there, a line of JSON each.
///
/// A simulated run replaces these and writes to no other existing file, and a real run writes to none of them.
struct SimulatedFiles: Sendable {
  private static let name = ".simulated"
  private static let mostBytes = 64 << 20

  private let list: String
  private var names: Set<String>

  /// Reads the list of a folder, if there is one.
  init(in folder: String, on disk: any Disk) throws {
    let list = "\(folder)/\(Self.name)"
    let text = try FileFailure.of(list, trying: "read") { () throws(DiskError) in
      try disk.head(of: list, count: Self.mostBytes)
    }
    self.list = list
    names = Set(
      (text ?? []).split(separator: 0x0a).compactMap { try? Value.parse(Array($0)).string })
  }

  /// Whether the list has a file, by its path below the folder.
  func contains(_ name: String) -> Bool { names.contains(name) }

  mutating func add(_ name: String, on disk: any Disk) throws {
    if !names.insert(name).inserted { return }
    try AppendFile(list, on: disk).append(Value.string(name).json + [0x0a])
  }
}
