import System
import JSON
import Engine
import Language
import Reactive
import Store

/// `jsonl`: appends each event to a file, a line each.
let jsonl = NodeSpec(
  "jsonl", "append each event to a file, as a line of JSON",
  details: """
    Lines are written whole, those of one turn together, and nothing is ever taken back: the file can be followed with \
    tail -F. When the disk is full the pipeline waits, says so once a minute, and goes on when there is room.

    Where the pipeline has state, each line is there exactly once, whatever the process is killed in: what a run has \
    kept and not written is written by the next one, and what it has written and not kept is made again and passed \
    over, byte for byte. Where the file has other bytes there, it is set aside under another name, with a notice. \
    Where others have added to it or cut it short since the last epoch, lines of that epoch may be in both files.

    One process at a time writes to a file: a second one is refused. Others may rename it within its folder, as \
    logrotate does. How far each was written is remembered of the 1000 files written last, or of max_open where that \
    is more.

    A path may have expressions in it, as in out/\\(.provider).jsonl. What they give cannot lead out of its folder: \
    slashes and leading dots are replaced. Simulated and replayed runs write to a folder of their own, as all runs do \
    with --out: see flow help run.
    """,
  options: AnyOption.list(
    JSONLinesOptions.path, JSONLinesOptions.rotate, JSONLinesOptions.mode, JSONLinesOptions.eventID,
    JSONLinesOptions.maxOpen),
  shorthand: "path", isKept: true,
  examples: [
    .init("a change log", "jsonl: out/new-launches.jsonl"),
    .init("a file a provider", #"jsonl: { path: 'out/\(.provider).jsonl', max_open: 10 }"#),
    .init(
      "rotated", "jsonl: { path: out/all.jsonl, rotate: { size: 100MiB, keep: 5, gzip: true }, mode: '0600' }"
    ),
    .init("lines that can be told apart for ever", "jsonl: { path: out/all.jsonl, event_id: event }"),
  ],
  .sink { options, context in try JSONLines(options, context) })

private enum JSONLinesOptions {
  static let path = Option.required(
    "path", OptionType<PathTemplate>.outputPath, "the file; missing folders are made",
    example: "out/events.jsonl")
  static let rotate = Option.optional(
    "rotate", .group("rotate", AnyOption.list(size, age, keep, gzip)),
    "when the file gives way to a new one: x.jsonl becomes x.jsonl.1, that x.jsonl.2",
    example: "{ size: 100MiB, keep: 5 }")
  static let mode = Option("mode", .fileMode, default: "'0644'", "the permissions of new files, in octal")
  static let eventID = Option.optional(
    "event_id", .text, "the member that each line is given an id in, which no other line has",
    example: "event")
  static let maxOpen = Option(
    "max_open", .integer(1...10_000), default: "64", "how many files are held open, where the path varies")

  static let size = Option.optional("size", .size, "when it would grow beyond this", example: "100MiB")
  static let age = Option.optional("age", .duration, "when it was begun this long ago", example: "1d")
  static let keep = Option("keep", .integer(1...10_000), default: "7", "how many old files stay")
  static let gzip = Option("gzip", .boolean, default: "false", "whether old files are packed")

  static func rotation(_ options: Options?) -> Rotation {
    guard let options else { return Rotation() }
    return Rotation(
      size: options[size], age: options[age].map { Int($0.components.seconds) }, keep: options[keep],
      gzip: options[gzip])
  }
}

private final class JSONLines: KeepingSink {
  /// What the marks of files are kept under, before their paths.
  private static let markPrefix = "file:"

  private let context: SinkContext
  private let path: OutputPath
  private let files: LineFiles
  private let writer = Writer(.compact)
  private let idMember: Key?
  private var ids: EventIDs
  /// The buffer of the one file, where the path is always the same.
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
    // A path that is a mistake is known before anything is read for it. A full disk, or a pipe that nobody reads yet, is
    // waited for on the lane, where a stop is noticed and other pipelines are not held up.
    if let constant, !context.isDryRun {
      do { single = try files.file(constant) } catch let failure as FileFailure where failure.mayBeAwaited {}
    }
  }

  func take(_ event: Event) throws {
    if context.isDryRun { return try show(event) }
    // A path that cannot be is a mistake in the event; a disk that fails is none.
    let file = try single ?? files.file(try path.path(for: event), waitingFor: { !$0.isOfName })
    if let idMember {
      writer.write(try identified(event, by: idMember), to: file.lines)
    } else {
      writer.write(event.value, to: file.lines)
    }
    file.lines.put(UInt8(ascii: "\n"))
  }

  /// The value with an id, where there is room for it.
  private func identified(_ event: Event, by idMember: Key) throws -> Value {
    var value = event.value
    let id = try context.outbox?.nextID() ?? ids.next(at: context.lane.now)
    guard value.kind == .object, value.setMember(idMember, .string(id)) else {
      throw StepError("only an object can be given the member “\(idMember.name)”, which event_id asks for")
    }
    return value
  }

  func endTurn() throws {
    guard let outbox = context.outbox else { return try files.write() }
    try files.followNames()
    if outbox.isInRepeatableEpoch, !files.needsMarks { return try files.write() }
    // What was written once is compared before there is another commit; files that were set aside or rotated meanwhile
    // are found by the marks from before.
    let isRegenerating = outbox.isRegenerating
    for (path, lines) in files.takeLines(unmarkedOnly: isRegenerating) {
      outbox.put(Value.string(path).json + [0x0a] + lines)
    }
    if isRegenerating { return try files.write() }
    // A file that is new is to be known before it is written to.
    if outbox.isInRepeatableEpoch { outbox.endEpoch() }
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

  // MARK: - What is kept

  func recover(_ entries: [OutboxEntry]) throws { try write(entries) }

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
    try write(entries)
    if isFinished { files.close() }
  }

  /// An entry is the path, as JSON, on a line, and then what is to be written there.
  private func write(_ entries: [OutboxEntry]) throws {
    guard let last = entries.last else { return }
    for entry in entries {
      guard let end = entry.bytes.firstIndex(of: 0x0a),
        let path = try? Value.parse(Array(entry.bytes[..<end])).string
      else {
        context.log.error(
          "what is kept for this sink under \(entry.place.epoch) is nothing it wrote; it is left out")
        continue
      }
      try files.append(Array(entry.bytes[(end + 1)...]), to: path)
    }
    try files.write()
    crashPoint("jsonl.entries written")
    context.outbox?.markWritten(through: last.place)
  }
}
