import JSON
import Pipeline
import Reactive

/// `jsonl`: appends each event to a file, a line each.
let jsonl = NodeSpec(
  "jsonl", "append each event to a file, as a line of JSON",
  details: """
    Lines are written whole, those of one turn together, and nothing is ever taken back: the file can be followed with \
    tail -F. When the disk is full the pipeline waits, says so once a minute, and goes on when there is room.

    A path may have expressions in it, as in out/\\(.provider).jsonl. What they give cannot lead out of its folder: \
    slashes and leading dots are replaced.
    """,
  options: AnyOption.list(
    JSONLinesOptions.path, JSONLinesOptions.rotate, JSONLinesOptions.mode, JSONLinesOptions.maxOpen),
  shorthand: "path",
  examples: [
    .init("a change log", "jsonl: out/new-launches.jsonl"),
    .init("a file a provider", #"jsonl: { path: 'out/\(.provider).jsonl', max_open: 10 }"#),
    .init(
      "rotated", "jsonl: { path: out/all.jsonl, rotate: { size: 100MiB, keep: 5, gzip: true }, mode: '0600' }"
    ),
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

private final class JSONLines: Sink {
  private let context: SinkContext
  private let constant: String?
  private let parts: Evaluation
  private let files: LineFiles
  private let writer = Writer(.compact)
  private let line = Output()
  /// The buffer of the one file, where the path is always the same.
  private var single: LineFiles.File?

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    constant = options[JSONLinesOptions.path].constant
    parts = context.evaluation(options[JSONLinesOptions.path].parts)
    files = LineFiles(
      JSONLinesOptions.rotation(options[JSONLinesOptions.rotate]),
      AppendFile.Options(mode: options[JSONLinesOptions.mode], followsLinks: constant != nil),
      limit: options[JSONLinesOptions.maxOpen], context)
    // A file that cannot be opened is known before anything is read for it.
    if let constant, !context.isDryRun { single = try files.file(constant) }
  }

  func take(_ event: Event) throws {
    if context.isDryRun { return try show(event) }
    let file = try single ?? files.file(try path(event))
    writer.write(event.value, to: file.lines)
    file.lines.put(UInt8(ascii: "\n"))
  }

  func endTurn() throws { try files.write() }

  func finish(by deadline: Instant) throws {
    try files.write()
    files.close()
  }

  private func path(_ event: Event) throws -> String {
    if let constant { return constant }
    let parts = try parts.first(event)?.items ?? []
    return parts.enumerated().map { index, part in
      let text = part.string ?? "\(part)"
      return index.isMultiple(of: 2) ? text : safePathPart(text)
    }.joined()
  }

  private func show(_ event: Event) throws {
    let start = Array("\(printable(try path(event))): ".utf8)
    try context.screen.write(start + event.value.shown(on: context.screen) + [UInt8(ascii: "\n")])
  }
}
