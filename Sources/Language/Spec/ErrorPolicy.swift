import JSON

/// The error policy of a node: how an event that it fails on is handled.
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
          schemaOfOptions(AnyOption.list(deadLetter)),
        ])
      )
    ])
  ) { node, checker in
    if case .mapping(let mapping) = checker.resolved(node) {
      return Options(reading: mapping, as: AnyOption.list(deadLetter), in: checker, what: "on_error")
        .map { .deadLetter($0[deadLetter]) }
    }
    guard let scalar = checker.scalar(node, "log, stop or { dead_letter: PATH }") else { return nil }
    return checker.read(scalar) { (text) throws(TextError) in
      do throws(TextError) {
        return try choice(text, among: ["log": ErrorPolicy.log, "stop": .stop])
      } catch {
        guard error.hint?.hasPrefix("did you mean") != true else { throw error }
        throw TextError(error.message, at: error.range, hint: "it can be log, stop or { dead_letter: PATH }")
      }
    }
  }

  private static let deadLetter = Option.required("dead_letter", .path, "the file such events are written to")
}
