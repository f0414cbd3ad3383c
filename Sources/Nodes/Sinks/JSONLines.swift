import Delivery
import System
import JSON
import Engine
import Language
import Reactive
import Store

/// `jsonl`: appends each event to a file, as a line of JSON.
package let jsonl = NodeSpec(
  "jsonl", "append each event to a file, as a line of JSON",
  reference: .init(PackageResources.jsonl_md),
  options: AnyOption.list(
    JSONLinesOptions.path, JSONLinesOptions.rotate, JSONLinesOptions.mode, JSONLinesOptions.eventID,
    JSONLinesOptions.maxOpen, CloudEvents.envelope),
  shorthand: "path", hasDurableState: true,
  check: { options, checker in
    if options.isGiven(JSONLinesOptions.eventID), options.isGiven(CloudEvents.envelope) {
      checker.report(
        "event_id and envelope exclude each other: an envelope has the id as its own",
        at: options.place(of: JSONLinesOptions.eventID))
    }
  },
  .sink { options, context in
    try LineSink(
      options[JSONLinesOptions.path], JSONFormat(options, context),
      JSONLinesOptions.rotation(options[JSONLinesOptions.rotate]), mode: options[JSONLinesOptions.mode],
      maxOpen: options[JSONLinesOptions.maxOpen], context)
  })

enum JSONLinesOptions {
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

/// Events as lines of JSON.
private final class JSONFormat: LineFormat {
  let header: [UInt8]? = nil
  private let writer = Writer(.compact)
  private let idMember: Key?
  private let envelope: CloudEvents?
  private let context: SinkContext
  private var ids: EventIDs

  init(_ options: Options, _ context: SinkContext) {
    self.context = context
    idMember = options[JSONLinesOptions.eventID].map { Key($0) }
    envelope = options[CloudEvents.envelope].map { _ in CloudEvents(context) }
    ids = EventIDs(pipeline: context.pipeline, sink: context.name)
  }

  func write(_ event: Event, to output: Output) throws {
    if let envelope {
      writer.write(envelope.value(event, data: event.value, id: try nextID()), to: output)
    } else if let idMember {
      writer.write(try identified(event, by: idMember), to: output)
    } else {
      writer.write(event.value, to: output)
    }
    output.put(UInt8(ascii: "\n"))
  }

  func shown(_ event: Event, on screen: Screen) -> [UInt8] { event.value.shown(on: screen) }

  private func nextID() throws -> String { try context.outbox?.nextID() ?? ids.next(at: context.lane.now) }

  /// The value with an id, if there is room for it.
  private func identified(_ event: Event, by idMember: Key) throws -> Value {
    var value = event.value
    let id = try nextID()
    guard value.kind == .object, value.setMember(idMember, .string(id)) else {
      throw Sentence("event_id cannot add the member “\(idMember.name)” to an event that is not an object")
    }
    return value
  }
}

extension SinkPlan {
  /// The file of a sink `jsonl`, where it is the same for all events.
  package var linesPath: String? {
    spec.kind == jsonl.kind ? options[JSONLinesOptions.path].constant : nil
  }

  /// How many rotated files of a sink `jsonl` are kept; nil where all are.
  package var keptFiles: Int? {
    spec.kind == jsonl.kind ? options[JSONLinesOptions.rotate].map { $0[JSONLinesOptions.keep] } : nil
  }

  /// The member in which each line of a sink `jsonl` has an id.
  package var lineID: Key? {
    spec.kind == jsonl.kind ? options[JSONLinesOptions.eventID].map { Key($0) } : nil
  }
}
