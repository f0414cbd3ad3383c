import JSON

/// What becomes of an event that a node fails on.
public enum ErrorPolicy: Sendable, Equatable {
  /// It is dropped, and the log says so.
  case log
  /// It is written to a file, with what was wrong.
  case deadLetter(String)
  /// The pipeline ends.
  case stop

  /// As an option: `log`, `stop`, or `{ dead_letter: PATH }`.
  package static let type = OptionType<ErrorPolicy>(
    "log, stop or { dead_letter: PATH }", sample: "log",
    schema: .record([
      (
        "anyOf",
        .array([
          .record([("enum", .array(["log", "stop"]))]),
          schemaOfOptions([AnyOption(deadLetter)]),
        ])
      )
    ])
  ) { node, checker in
    if case .mapping(let mapping) = checker.resolved(node) {
      return Options(reading: mapping, as: [AnyOption(deadLetter)], in: checker, what: "on_error")
        .map { .deadLetter($0[deadLetter]) }
    }
    guard let scalar = checker.scalar(node, "log, stop or { dead_letter: PATH }") else { return nil }
    do throws(TextError) {
      return try choice(scalar.text, among: ["log": ErrorPolicy.log, "stop": .stop])
    } catch {
      checker.report(error, in: scalar)
      return nil
    }
  }

  private static let deadLetter = Option.required("dead_letter", .path, "the file such events are written to")
}

/// What becomes of events that steps still hold when a stream ends.
public enum Ending: Sendable {
  /// Nothing more will come: send what waits.
  case flush
  /// The pipeline will go on another time: keep what waits.
  case keep
}
