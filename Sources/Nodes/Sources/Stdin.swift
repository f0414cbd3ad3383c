import System
import JSON
import Engine
import Language

/// `stdin`: reads the values on standard input.
let stdin = NodeSpec(
  "stdin", "read JSON values from standard input until it ends",
  options: AnyOption.list(StdinOptions.format, StdinOptions.maxValue),
  shorthand: "format",
  examples: [
    .init("in a shell pipe", "stdin: lines"),
    .init("values of any length", "stdin: { format: values, max_value: 256MiB }"),
  ],
  .stream { options, context in StandardInput(options, context) })

private enum StdinOptions {
  static let format = Option(
    "format", OptionType<TextFormat>.choice(), default: "auto",
    "the layout of the values: one per line, one array, or values in a row")
  static let maxValue = Option(
    "max_value", .size, default: "16MiB", "longer lines and values are reported and skipped")
}

private final class StandardInput: StreamSource {
  private let options: Options
  private let context: SourceContext

  init(_ options: Options, _ context: SourceContext) {
    self.options = options
    self.context = context
  }

  func run(_ feed: Feed) throws {
    let desk = ParseErrorReporter(context)
    defer { desk.summarize() }
    let reader = ValueReader(
      try StoppableInput("-", context.stop), path: "<stdin>", format: options[StdinOptions.format],
      limits: ReadLimits(value: options[StdinOptions.maxValue]), report: desk.report)
    while case let values = try reader.nextBatch(), !values.isEmpty, !feed.isStopped { feed.send(values) }
  }
}
