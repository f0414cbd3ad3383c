import System
import JSON
import Engine
import Language
import Reactive
import Store

/// `jsonl`: appends each event to a file, as a line of JSON.
let jsonl = NodeSpec(
  "jsonl", "append each event to a file, as a line of JSON",
  details: """
    Lines are written whole, those of a turn together, and never removed: follow the file with tail -F. When the disk \
    is full, the pipeline reports it once a minute, waits for space and continues.

    With state, each line is written exactly once, even if the process is killed. Lines committed but not yet written \
    are written by the next run. Lines written but not committed are regenerated and skipped, byte for byte. If the \
    file contains other bytes there, it is renamed and a notice is logged. If other processes have appended to it or \
    truncated it since the last epoch, lines of that epoch may be in both files.

    Only one process at a time can write to a file. Others may rename it within its folder, as logrotate does. The \
    position is remembered for the 1000 most recently written files, or for max_open files if that is more.

    A path may contain expressions, as in out/\\(.provider).jsonl. Their results cannot lead out of its folder: \
    slashes and leading dots are replaced. Simulated and replayed runs write to a folder of their own, as all runs do \
    with --out: see flow help run.
    """,
  options: AnyOption.list(
    JSONLinesOptions.path, JSONLinesOptions.rotate, JSONLinesOptions.mode, JSONLinesOptions.eventID,
    JSONLinesOptions.maxOpen),
  shorthand: "path", isKept: true,
  examples: [
    .init("a change log", "jsonl: out/new-launches.jsonl"),
    .init("one file per provider", #"jsonl: { path: 'out/\(.provider).jsonl', max_open: 10 }"#),
    .init(
      "rotated", "jsonl: { path: out/all.jsonl, rotate: { size: 100MiB, keep: 5, gzip: true }, mode: '0600' }"
    ),
    .init("lines with unique ids", "jsonl: { path: out/all.jsonl, event_id: event }"),
  ],
  .sink { options, context in try JSONLines(options, context) })

private enum JSONLinesOptions {
  static let path = Option.required(
    "path", OptionType<PathTemplate>.outputPath, "the file; missing folders are created",
    example: "out/events.jsonl")
  static let rotate = Option.optional(
    "rotate", .group("rotate", AnyOption.list(size, age, keep, gzip)),
    "when to begin a new file: x.jsonl becomes x.jsonl.1, and that x.jsonl.2",
    example: "{ size: 100MiB, keep: 5 }")
  static let mode = Option("mode", .fileMode, default: "'0644'", "the permissions of new files, in octal")
  static let eventID = Option.optional(
    "event_id", .text, "the member in which each line gets a unique id",
    example: "event")
  static let maxOpen = Option(
    "max_open", .integer(1...10_000), default: "64", "how many files may be open at once, if the path varies")

  static let size = Option.optional("size", .size, "the size a file must not exceed", example: "100MiB")
  static let age = Option.optional("age", .duration, "the age at which a file is rotated", example: "1d")
  static let keep = Option("keep", .integer(1...10_000), default: "7", "how many rotated files to keep")
  static let gzip = Option("gzip", .boolean, default: "false", "whether to compress rotated files")

  static func rotation(_ options: Options?) -> Rotation {
    guard let options else { return Rotation() }
    return Rotation(
      size: options[size], age: options[age].map { Int($0.components.seconds) }, keep: options[keep],
      gzip: options[gzip])
  }
}

private final class JSONLines: KeepingSink {
  /// The prefix of the keys under which file marks are stored.
  private static let markPrefix = "file:"

  private let context: SinkContext
  private let path: OutputPath
  private let files: LineFiles
  private let writer = Writer(.compact)
  private let idMember: Key?
  private var ids: EventIDs
  /// The buffer of the only file, if the path is fixed.
  private var single: LineFiles.File?
  private var isFinished = false

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    path = try OutputPath(options[JSONLinesOptions.path], context)
    let constant = path.constant
    idMember = options[JSONLinesOptions.eventID].map { Key($0) }
    ids = EventIDs(pipeline: context.pipeline, sink: context.name)
    files = LineFiles(
      JSONLinesOptions.rotation(options[JSONLinesOptions.rotate]),
      AppendFile.Options(
        mode: options[JSONLinesOptions.mode], followsLinks: constant != nil, isClaimed: true),
      limit: options[JSONLinesOptions.maxOpen], context, keepsMarks: context.outbox != nil)
    for (path, mark) in try context.outbox?.notes(beginning: Self.markPrefix) ?? [] {
      if let mark = FileMark(json: mark.description) { files.resume(path, at: mark) }
    }
    // An invalid path is reported before any input is read. A full disk, or a pipe without a reader, is waited for on
    // the lane, where a stop is noticed and other pipelines are not blocked.
    if let constant, !context.isDryRun {
      do { single = try files.file(constant) } catch let failure as FileFailure where failure.mayBeAwaited {}
    }
  }

  func take(_ event: Event) throws {
    if context.isDryRun { return try show(event) }
    // An impossible path is an error of the event; a failing disk is not.
    let file = try single ?? files.file(try path.path(for: event), waitingFor: { !$0.isOfName })
    if let idMember {
      writer.write(try identified(event, by: idMember), to: file.lines)
    } else {
      writer.write(event.value, to: file.lines)
    }
    file.lines.put(UInt8(ascii: "\n"))
  }

  /// The value with an id, if there is room for it.
  private func identified(_ event: Event, by idMember: Key) throws -> Value {
    var value = event.value
    let id = try context.outbox?.nextID() ?? ids.next(at: context.lane.now)
    guard value.kind == .object, value.setMember(idMember, .string(id)) else {
      throw StepError("event_id cannot add the member “\(idMember.name)” to an event that is not an object")
    }
    return value
  }

  func endTurn() throws {
    guard let outbox = context.outbox else { return try files.write() }
    try files.prepare()
    // Previously written lines are compared before the next commit: files that were set aside or rotated since are
    // found by the earlier marks.
    if outbox.isRegenerating { return try writeMarked() }
    if outbox.isInRepeatableEpoch, !files.needsMarks { return try files.write() }
    store(files.takeLines(), outbox)
    // A new file must have a mark before it is written to.
    if outbox.isInRepeatableEpoch { outbox.endEpoch() }
  }

  /// Writes the lines of files with marks, and stores the others with the present epoch.
  private func writeMarked() throws {
    guard let outbox = context.outbox else { return try files.write() }
    try files.write(onlyMarked: true)
    store(files.takeLines(unmarkedOnly: true), outbox)
  }

  private func store(_ lines: [(path: String, lines: [UInt8])], _ outbox: Outbox) {
    for (path, lines) in lines { outbox.put(Value.string(path).json + [0x0a] + lines) }
  }

  func finish(by deadline: Instant) throws {
    isFinished = true
    if context.outbox != nil { return }
    try files.write()
    files.close()
  }

  private func show(_ event: Event) throws {
    let start = Array("\(printable(try path.path(for: event))): ".utf8)
    try context.screen.write(start + event.value.shown(on: context.screen) + [UInt8(ascii: "\n")])
  }

  // MARK: - Commits

  func recover(_ entries: [OutboxEntry]) throws {
    try write(entries) { try writeMarked() }
  }

  var hasUncommittedTail: Bool { files.isPassingOver }

  func endReplay() throws { try files.endReplay() }

  func willCommit() throws {
    for (path, mark) in try files.marks(synced: context.syncs) {
      context.outbox?.setNote(try Value.parse(mark.json), Self.markPrefix + path)
    }
    for path in files.takeSurplusMarks() { context.outbox?.setNote(nil, Self.markPrefix + path) }
  }

  func didCommit(_ entries: [OutboxEntry]) throws {
    files.marksAreKept()
    try write(entries) { try files.write() }
    if isFinished { files.close() }
  }

  /// An entry consists of a line with the path as JSON, followed by the lines for that file.
  private func write(_ entries: [OutboxEntry], by action: () throws -> Void) throws {
    guard let last = entries.last else { return }
    for entry in entries {
      guard let end = entry.bytes.firstIndex(of: 0x0a),
        let path = try? Value.parse(Array(entry.bytes[..<end])).string
      else {
        context.log.error(
          "entry \(entry.place.epoch) in the state is not one of this sink; it is skipped")
        continue
      }
      try files.append(Array(entry.bytes[(end + 1)...]), to: path, areCommitted: true)
    }
    try action()
    crashPoint("jsonl.entries written")
    context.outbox?.markWritten(through: last.place)
  }
}
