import JSON
import NATS
import Reactive
import System

/// A journal in NATS JetStream: a stream for logs and images, one for the leases of workers, one for shared records,
/// one for what goes from task to task.
///
/// There are no consumers on the server. Logs and images may come from any replica, single records come from the leader.
/// Callers wait for each answer; several threads have a connection each.
public final class JetStreamJournal: Journal {
  static let logs = "FLOW_LOG"
  static let leases = "FLOW_WORKERS"
  static let records = "FLOW_SHARED"
  /// The stream of what goes from task to task.
  public static let packs = "FLOW_PACKS"
  /// The level of the server's interface that nats-server 2.14 has.
  static let level = 4.0

  /// The subjects that a machine of a cluster publishes to: all that its account needs.
  public static var subjects: [String] {
    let streams = [logs, leases, records, packs]
    let calls = ["STREAM.CREATE", "STREAM.INFO", "STREAM.PURGE", "STREAM.MSG.GET", "DIRECT.GET"]
    return ["flow.>", "$JS.API.INFO"]
      + streams.flatMap { stream in calls.map { "$JS.API.\($0).\(stream)" } }
  }

  public enum Start: Sendable {
    /// All streams are made.
    case begin
    /// The servers are refused: this machine has states in the folder, so there were logs.
    case goOn(folder: String)
    /// The servers are refused, and no stream is made.
    case look
  }

  public struct Options: Sendable {
    public var servers: [String]
    public var replicas: Int
    public var leaseSeconds = 4
    /// The limit of the stream of logs, beyond which epochs wait; nil for the server's.
    public var bytes: Int?
    /// The way to begin on servers that have no logs.
    public var start = Start.begin

    public init(servers: [String], replicas: Int) { (self.servers, self.replicas) = (servers, replicas) }
  }

  private let settings: NATSSettings
  private let stop: StopSign
  private let idle = Locked<[JetStreamClient]>([])

  /// Connects, and makes the streams where they are missing; throws a sentence where that is not possible, and where the
  /// servers have lost the logs.
  public init(_ options: Options, stop: StopSign) throws(JournalError) {
    settings = NATSSettings(servers: options.servers, name: "flow cluster")
    self.stop = stop
    try with { (client) throws(JournalError) in
      let account = try client.json("$JS.API.INFO")
      if let error = account.member("error") {
        let text = "JetStream cannot be used: \(error.member("description")?.string ?? "\(error)")"
        // The servers have no leader yet.
        throw error.member("code")?.double == 503 ? .unavailable(text) : .refused(text)
      }
      guard account.member("api")?.member("level")?.double ?? 0 >= Self.level else {
        throw .refused("the servers are too old: a cluster needs nats-server 2.14 or newer")
      }
      let hasLogs = try Self.hasLogs(client)
      switch options.start {
      case .begin: break
      case .goOn(let folder): if !hasLogs { throw .refused(Self.nothing(whileIn: folder)) }
      case .look:
        if !hasLogs { throw .refused(Self.nothing) }
        return
      }
      try Self.make(options, client)
    }
  }

  /// The sentence about servers that no cluster has used, or that have lost everything.
  private static let nothing =
    "the servers have nothing of a cluster: it begins with flow run --cluster; if there was one, they have lost it: "
    + "stop flow run on all machines, and restore a backup: flow cluster restore"
  private static func nothing(whileIn folder: String) -> String {
    "the servers have nothing of a cluster, and this machine has states of one in \(folder): restore a backup "
      + "(flow cluster restore), or name another folder with --state, or remove that one, to begin without"
  }
  /// The sentence about servers that have a part of a cluster.
  private static let lost =
    "the servers have lost the stream \(logs), and with it the states of all pipelines: stop flow run on all machines, "
    + "empty the servers, that is stop them, remove what is in their store_dir and start them, and restore a backup: "
    + "flow cluster restore"

  /// Whether there are logs; throws where they were lost.
  ///
  /// They are made first, so where other streams are seen before them this is no cluster that begins.
  private static func hasLogs(_ client: JetStreamClient) throws(JournalError) -> Bool {
    var others = 0
    for stream in [packs, records, leases] where try client.has(stream) { others += 1 }
    if try client.has(logs) { return true }
    if others > 0 { throw .refused(lost) }
    return false
  }

  /// Makes the streams that are missing.
  private static func make(_ options: Options, _ client: JetStreamClient) throws(JournalError) {
    let common =
      #""storage":"file","retention":"limits","allow_direct":true,"num_replicas":\#(options.replicas)"#
    try client.make(
      logs,
      #"\#(common),"subjects":["flow.log.>","flow.snap.>"],"discard":"new","max_bytes":\#(options.bytes ?? -1)"#
    )
    try client.make(
      leases,
      #"\#(common),"subjects":["flow.worker.>"],"discard":"old","max_msgs_per_subject":1,"#
        + #""max_age":\#(options.leaseSeconds)000000000,"duplicate_window":1000000000"#)
    try client.make(
      records,
      #"\#(common),"subjects":["flow.shared.>"],"discard":"old","max_msgs_per_subject":1"#)
    try client.make(
      packs,
      #"\#(common),"subjects":["flow.pack.>"],"discard":"new","max_bytes":\#(options.bytes ?? -1)"#)
  }

  /// Lends a connection that no other thread uses.
  private func with<Output>(
    _ body: (JetStreamClient) throws(JournalError) -> Output
  ) throws(JournalError) -> Output {
    let client: JetStreamClient
    if let free = idle.withLock({ $0.popLast() }) {
      client = free
    } else {
      do throws(NATSError) { client = try JetStreamClient(settings, stop) } catch {
        throw error.mayPass ? .unavailable(error.description) : .refused(error.description)
      }
    }
    let result = Result { () throws(JournalError) in try body(client) }
    if !client.isClosed { idle.withLock { [client] in $0.append(client) } }
    return try result.get()
  }

  // MARK: - Logs

  private static func subject(_ kind: String, _ names: String...) -> String {
    "flow.\(kind)." + names.map(SubjectToken.encode).joined(separator: ".")
  }

  public func last(of assignment: String) throws(JournalError) -> JournalRecord? {
    try with { (client) throws(JournalError) in
      try client.last(on: Self.subject("log", assignment), in: Self.logs)
    }
  }

  public func append(
    _ bytes: [UInt8], to assignment: String, after sequence: UInt64
  ) throws(JournalError) -> UInt64 {
    try with { (client) throws(JournalError) in
      try client.store(bytes, on: Self.subject("log", assignment), after: sequence)
    }
  }

  public func read(_ assignment: String, from sequence: UInt64) throws(JournalError) -> [JournalRecord] {
    try with { (client) throws(JournalError) in
      try client.batch(on: Self.subject("log", assignment), in: Self.logs, from: sequence)
    }
  }

  public func purge(_ assignment: String, before sequence: UInt64) throws(JournalError) {
    try with { (client) throws(JournalError) in
      try client.purge(Self.logs, Self.subject("log", assignment), before: sequence)
    }
  }

  /// Removes a log, which must not be used any more.
  public func remove(_ assignment: String) throws(JournalError) {
    try with { (client) throws(JournalError) in
      try client.purge(Self.logs, Self.subject("log", assignment), before: nil)
    }
  }

  // MARK: - Images

  public func store(_ image: [UInt8], of assignment: String, id: String) throws(JournalError) {
    try with { (client) throws(JournalError) in
      let size = max(1, client.mostBytes - 8192)
      let count = max(1, (image.count + size - 1) / size)
      let subject = Self.subject("snap", assignment, id)
      for part in 0..<count {
        let bytes = image[part * size..<min(image.count, (part + 1) * size)]
        // A part that is stored twice would not be an image.
        _ = try client.store(Array(bytes), on: "\(subject).\(part).\(count)", after: 0)
      }
    }
  }

  public func image(of assignment: String, id: String) throws(JournalError) -> [UInt8]? {
    try with { (client) throws(JournalError) in
      let subject = Self.subject("snap", assignment, id)
      var (next, parts, image): (UInt64, Int, [UInt8]) = (1, 0, [])
      while true {
        let records = try client.batch(on: "\(subject).>", in: Self.logs, from: next)
        for record in records {
          image += record.bytes
          next = record.sequence + 1
          parts += 1
        }
        if records.isEmpty { break }
      }
      guard parts > 0, try client.last(on: "\(subject).\(parts - 1).\(parts)", in: Self.logs) != nil else {
        return nil
      }
      return image
    }
  }

  public func removeImage(of assignment: String, id: String) throws(JournalError) {
    try with { (client) throws(JournalError) in
      try client.purge(Self.logs, Self.subject("snap", assignment, id) + ".>", before: nil)
    }
  }

  // MARK: - Leases

  public func renewLease(of worker: String, _ report: [UInt8]) throws(JournalError) {
    try with { (client) throws(JournalError) in
      _ = try client.store(report, on: Self.subject("worker", worker), after: nil)
    }
  }

  public func endLease(of worker: String) throws(JournalError) {
    try with { (client) throws(JournalError) in
      try client.purge(Self.leases, Self.subject("worker", worker), before: nil)
    }
  }

  public func requestLeave(of worker: String) throws(JournalError) { try mark(worker, ".leave") }

  public func noteFullDisk(of worker: String) throws(JournalError) { try mark(worker, ".full") }

  private func mark(_ worker: String, _ mark: String) throws(JournalError) {
    try with { (client) throws(JournalError) in
      _ = try client.store([], on: Self.subject("worker", worker) + mark, after: nil)
    }
  }

  public func workers() throws(JournalError) -> [WorkerLease] {
    try with { (client) throws(JournalError) in
      let subjects = Set(try client.subjects(under: "flow.worker.>", in: Self.leases))
      return subjects.filter { !$0.hasSuffix(".leave") && !$0.hasSuffix(".full") }.sorted().map {
        WorkerLease(
          name: SubjectToken.decode($0), isLeaving: subjects.contains("\($0).leave"),
          isFull: subjects.contains("\($0).full"))
      }
    }
  }

  /// The report of a worker with its lease; nil where that has ended.
  public func report(of worker: String) throws(JournalError) -> [UInt8]? {
    try with { (client) throws(JournalError) in
      try client.last(on: Self.subject("worker", worker), in: Self.leases)?.bytes
    }
  }

  // MARK: - Packs

  /// The subject of what goes to the tasks of a pipeline, each of which has its number behind a dot.
  public static func packs(of pipeline: String) -> String { subject("pack", pipeline) }

  /// Removes what a task has committed, unless the stream has replaced the one that was made at that time: the sequence
  /// would be that of other packs.
  public func purgePacks(
    of pipeline: String, task: Int, before sequence: UInt64, ofStream created: String
  ) throws(JournalError) {
    try with { (client) throws(JournalError) in
      guard try client.created(Self.packs) == created else { return }
      try client.purge(Self.packs, "\(Self.packs(of: pipeline)).\(task)", before: sequence)
    }
  }

  /// The packs of a pipeline that are stored, in order.
  public func packs(of pipeline: String) throws(JournalError) -> [[UInt8]] {
    try with { (client) throws(JournalError) in
      var (packs, next): ([[UInt8]], UInt64) = ([], 1)
      while true {
        let records = try client.batch(on: "\(Self.packs(of: pipeline)).>", in: Self.packs, from: next)
        guard let last = records.last else { return packs }
        packs += records.map(\.bytes)
        next = last.sequence + 1
      }
    }
  }

  /// When the stream of packs was made; nil where there is none.
  func packsCreated() throws(JournalError) -> String? {
    try with { (client) throws(JournalError) in try client.created(Self.packs) }
  }

  /// Whether there is the stream of packs; without it they have nowhere to go.
  public func hasPacks() throws(JournalError) -> Bool {
    try with { (client) throws(JournalError) in try client.has(Self.packs) }
  }

  /// Stores a pack for a task.
  public func store(pack: [UInt8], of pipeline: String, task: Int) throws(JournalError) {
    try with { (client) throws(JournalError) in
      _ = try client.store(pack, on: "\(Self.packs(of: pipeline)).\(task)", after: nil)
    }
  }

  /// Hears the packs of a pipeline that are stored from now on, also those that are removed at once.
  public func hearPacks(of pipeline: String) throws(JournalError) -> HeardPacks {
    do throws(NATSError) { return try HeardPacks("\(Self.packs(of: pipeline)).>", settings) } catch {
      throw .unavailable(error.description)
    }
  }

  // MARK: - Shared records

  public func shared(_ name: String) throws(JournalError) -> JournalRecord? {
    try with { (client) throws(JournalError) in
      try client.last(on: Self.subject("shared", name), in: Self.records)
    }
  }

  public func share(
    _ bytes: [UInt8], as name: String, after sequence: UInt64
  ) throws(JournalError) -> UInt64 {
    try with { (client) throws(JournalError) in
      try client.store(bytes, on: Self.subject("shared", name), after: sequence)
    }
  }

  /// The names of all shared records.
  public func sharedNames() throws(JournalError) -> [String] {
    try with { (client) throws(JournalError) in
      try client.subjects(under: "flow.shared.>", in: Self.records).map(SubjectToken.decode)
    }
  }

  /// The assignments that have a log.
  public func assignments() throws(JournalError) -> [String] {
    try with { (client) throws(JournalError) in
      try client.subjects(under: "flow.log.>", in: Self.logs).map(SubjectToken.decode)
    }
  }
}

/// The packs of a pipeline as they are published.
public final class HeardPacks {
  private let connection: NATSConnection

  fileprivate init(_ subject: String, _ settings: NATSSettings) throws(NATSError) {
    connection = try NATSConnection(settings)
    try connection.subscribe(to: subject, tag: .message)
    guard connection.flush(seconds: 5) else { throw NATSError(.unreachable, "the servers do not answer") }
  }

  /// The packs since the last call; nil where some may be missing.
  public func take() -> [[UInt8]]? {
    guard connection.flush(seconds: 5) else { return nil }
    var packs: [[UInt8]] = []
    while let entry = connection.next() {
      switch entry.kind {
      case .message: if entry.has(.message) { packs.append(Array(entry.bytes)) }
      case .wakeUp, .reconnected: break
      case .disconnected, .closed, .error: return nil
      }
    }
    return packs
  }
}

/// A name as a token of a subject: what may not be in one is written as `=` and two hex digits.
enum SubjectToken {
  static func encode(_ name: String) -> String {
    var token = ""
    for byte in name.utf8 {
      let scalar = Unicode.Scalar(byte)
      let isPlain = scalar.properties.isASCIIHexDigit || "a"..."z" ~= scalar || "A"..."Z" ~= scalar
      if isPlain || scalar == "-" || scalar == "_" {
        token.unicodeScalars.append(scalar)
      } else {
        token += (byte < 16 ? "=0" : "=") + String(byte, radix: 16)
      }
    }
    return token
  }

  /// The name of the last token of a subject.
  static func decode(_ subject: String) -> String {
    var bytes: [UInt8] = []
    var rest = Substring(subject.split(separator: ".").last ?? "").utf8
    while let byte = rest.popFirst() {
      if byte == UInt8(ascii: "="),
        let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
      {
        bytes.append(value)
        rest = rest.dropFirst(2)
      } else {
        bytes.append(byte)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
