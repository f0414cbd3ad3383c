import Glibc
import JSON
import Pipeline

/// `jsonl`: appends each event to a file, a line each.
let jsonl = NodeSpec(
  "jsonl", "append each event to a file, as a line of JSON",
  options: AnyOption.list(JSONLinesOptions.path),
  shorthand: "path",
  examples: [.init("a change log", "jsonl: out/new-launches.jsonl")],
  .sink { options, _ in JSONLines(path: options[JSONLinesOptions.path]) })

private enum JSONLinesOptions {
  static let path = Option.required("path", .outputPath, "the file", example: "out/events.jsonl")
}

private final class JSONLines: Sink {
  private let output: Output
  private let writer = Writer(.compact)

  init(path: String) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0o644)
    output = Output { bytes in write(descriptor, bytes.baseAddress, bytes.count) == bytes.count }
  }

  func take(_ event: Event) throws {
    writer.write(event.value, to: output)
    output.put(UInt8(ascii: "\n"))
  }

  func endTurn() throws { output.flush() }
}
