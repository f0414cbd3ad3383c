import Cluster
import Engine
import Glibc
import JSON
import Language
import Reactive
import Store
import System

/// A backup of a cluster: a folder with a state of each assignment, what was on its way from task to task, the records
/// that machines share, and a list of it all, which is written last.
struct ClusterBackup: Equatable {
  private static let format = 1
  private static let list = "backup.json"

  /// The pipelines, or parts of them.
  var assignments: [AssignmentCopy] = []
  /// When it was begun, in seconds since 1970.
  var at = 0.0
  var version = VersionCommand.version
  /// The form of the backup; this version knows one.
  private var format = Self.format

  /// The files of a backup.
  struct Folder {
    let path: String

    func state(of assignment: String) -> String {
      "\(path)/states/\(assignment).db"
    }
    func packs(of pipeline: String) -> String {
      "\(path)/packs/\(pipeline).jsonl"
    }
    var shared: String { "\(path)/shared.jsonl" }
    var scratch: String { "\(path)/.scratch.db" }

    func write(_ bytes: [UInt8], _ file: String) throws {
      try WholeFile(path: file, mode: 0o600, syncs: true, disk: SystemDisk()).write(bytes)
    }

    /// Makes the folder of the states, which a cluster without one leaves empty.
    func makeFolders() throws { try StateFolder.make(for: state(of: ""), SystemDisk()) }

    /// Removes what a scratch file leaves: its lock.
    func clear() { unlink("\(scratch).lock") }
  }

  /// The pipeline of a task below a partition, whose name has its number behind a tilde; nil for any other.
  static func pipeline(ofTask name: String, among names: Set<String>) -> String? {
    guard let mark = name.lastIndex(of: "~"), Int(name[name.index(after: mark)...]) != nil else { return nil }
    let pipeline = String(name[..<mark])
    return names.contains(pipeline) ? pipeline : nil
  }

  // MARK: - Making one

  /// Copies a cluster while it runs.
  ///
  /// Below a partition a task is copied before what sends to it, and what is sent meanwhile is heard: so no task has
  /// seen more than its sender has sent, and all that lies between the two is in the backup.
  static func make(of journal: JetStreamJournal, in folder: Folder, _ report: (String) -> Void) throws
    -> ClusterBackup
  {
    try folder.makeFolders()
    var backup = ClusterBackup()
    backup.at = World.real.wallClock()
    let names = Set(try journal.assignments().filter { !$0.hasPrefix("check ") })
    let tasks = Dictionary(grouping: names.sorted()) { pipeline(ofTask: $0, among: names) }
    for name in tasks[nil] ?? [] {
      backup.assignments += try copies(of: name, tasks[name] ?? [], journal, folder, report)
    }
    let shared = try journal.sharedNames().compactMap { name in
      try journal.shared(name).map { record in
        let bytes = String(decoding: Radix.base64.encode(record.bytes), as: UTF8.self)
        return Value.record([("name", .string(name)), ("record", .string(bytes))])
      }
    }
    try folder.write(shared.flatMap { $0.json + [0x0a] }, folder.shared)
    folder.clear()
    try folder.write(backup.jsonValue.json + [0x0a], "\(folder.path)/\(list)")
    return backup
  }

  private static let attempts = 5

  /// Copies a pipeline: its tasks below a partition, then what is above it.
  private static func copies(
    of pipeline: String, _ tasks: [String], _ journal: JetStreamJournal, _ folder: Folder,
    _ report: (String) -> Void
  ) throws -> [AssignmentCopy] {
    for attempt in 1...attempts {
      let heard = tasks.isEmpty ? nil : try journal.hearPacks(of: pipeline)
      var packs = try heard.map { _ in try journal.packs(of: pipeline) } ?? []
      var copies: [AssignmentCopy] = []
      var hasHeardAll = true
      for name in tasks + [pipeline] {
        guard let (copy, image) = try AssignmentCopy.read(name, from: journal, scratch: folder.scratch) else {
          report("\(name): nothing is committed yet")
          continue
        }
        try folder.write(image, folder.state(of: name))
        copies.append(copy)
        let news = heard.map { $0.take() } ?? []
        hasHeardAll = hasHeardAll && news != nil
        packs += news ?? []
        report(
          "\(name): \(StateText.count(Int(copy.ordinal), "transaction")), \(StateText.size(image.count))")
      }
      guard heard != nil else { return copies }
      // Without a state of it nothing was sent.
      let isKnown = copies.contains { $0.name == pipeline }
      let between = isKnown ? try PacksOnTheWay(of: pipeline, tasks, in: folder) : nil
      if hasHeardAll, let chosen = between.map({ $0.choose(packs) }) ?? [] {
        try folder.write(
          chosen.flatMap { Value.string(String(decoding: $0, as: UTF8.self)).json + [0x0a] },
          folder.packs(of: pipeline))
        if !chosen.isEmpty { report("\(pipeline): \(StateText.count(chosen.count, "pack")) on the way") }
        return copies
      }
      report("\(pipeline): not whole, attempt \(attempt) of \(attempts)")
    }
    throw Sentence("\(pipeline) cannot be copied whole: packs between its tasks are missing")
  }

  // MARK: - Bringing it back

  /// Reads the list of a backup.
  init(in folder: Folder) throws {
    let path = "\(folder.path)/\(Self.list)"
    guard access(path, F_OK) == 0 else {
      throw Sentence("\(folder.path) is no whole backup: it has no \(Self.list)")
    }
    guard let value = try? Value.parse(readFile(path)), let backup = ClusterBackup(jsonValue: value),
      backup.format == Self.format
    else {
      throw Sentence("\(path) is no list of a backup that this version knows")
    }
    self = backup
  }

  init() {}

  /// Begins the logs of an empty cluster with it.
  func restore(
    into journal: JetStreamJournal, from folder: Folder, scratch: String, _ report: (String) -> Void
  ) throws {
    let workers = try journal.workers().map(\.name)
    if let worker = workers.first {
      throw Sentence("\(worker) is in the cluster: stop flow run on all machines first")
    }
    if let name = try assignments.first(where: { try journal.last(of: $0.name) != nil })?.name {
      throw Sentence(
        "the servers have a log of \(name) already; a backup is restored into empty servers alone")
    }
    let names = Set(assignments.map(\.name))
    let pipelines = names.filter { Self.pipeline(ofTask: $0, among: names) == nil }.sorted()
    if let pipeline = try pipelines.first(where: { try !journal.packs(of: $0).isEmpty }) {
      throw Sentence(
        "the servers have packs of \(pipeline) already; a backup is restored into empty servers alone")
    }
    do { try write(pipelines, names, journal, folder, scratch, report) } catch {
      throw Sentence(
        "\(error); the servers have a part of it now: empty them, that is stop them, remove what is in their "
          + "store_dir and start them, before it is restored again")
    }
  }

  private func write(
    _ pipelines: [String], _ names: Set<String>, _ journal: JetStreamJournal, _ folder: Folder,
    _ scratch: String, _ report: (String) -> Void
  ) throws {
    let options = CommitLog.Options { seconds in
      MonotonicClock.sleep(until: MonotonicClock.now + .seconds(seconds))
      return false
    }
    for line in try lines(of: folder.shared) {
      guard let name = line.member("name")?.string, let text = line.member("record")?.string,
        case .bytes(let bytes) = Radix.base64.decode(Array(text.utf8))
      else { throw Sentence("\(folder.shared) is damaged") }
      if try journal.shared(name) == nil { _ = try journal.share(bytes, as: name, after: 0) }
    }
    for pipeline in pipelines {
      let path = folder.packs(of: pipeline)
      for line in access(path, F_OK) == 0 ? try lines(of: path) : [] {
        let bytes = line.textBytes ?? []
        guard let task = Pack.task(of: bytes) else { throw Sentence("\(path) is damaged") }
        try journal.store(pack: bytes, of: pipeline, task: task)
      }
    }
    for copy in assignments {
      try copy.restore(
        try readFile(folder.state(of: copy.name)), into: journal, options, scratch: scratch,
        log: String(UInt64.random(in: 0 ... .max), radix: 36),
        setting: Self.pipeline(ofTask: copy.name, among: names) == nil ? [] : Self.places(of: copy, folder))
      report("\(copy.name): \(StateText.count(Int(copy.ordinal), "transaction"))")
    }
  }

  /// The position of a task below a partition on other servers, where packs have other numbers: which it has taken is
  /// known by their ordinals.
  private static func places(of copy: AssignmentCopy, _ folder: Folder) throws -> [StoredFact] {
    try StateReader(path: folder.state(of: copy.name)).facts().compactMap { fact in
      guard fact.name == "position", var position = fact.value.text.flatMap({ try? Value.parse($0) }),
        position.member("chain") != nil
      else { return nil }
      position.setMember("sequence", .string("0"))
      position.setMember("created", .string(""))
      return StoredFact(owner: fact.owner, name: fact.name, value: .text(position.description))
    }
  }

  private func lines(of path: String) throws -> [Value] { try Value.parseAll(readFile(path)) }
}

extension ClusterBackup: JSONRecord {
  static let form = RecordForm<Self>(
    { format, version, at, assignments in
      var backup = ClusterBackup()
      (backup.format, backup.version, backup.at) = (format, version, at)
      backup.assignments = assignments
      return backup
    },
    Field("format", \.format), Field("flow", \.version), Field("at", \.at),
    Field("assignments", \.assignments))
}
