import Delivery
import Decode
import System
import JSON
import Engine
import Language

/// `stdin`: reads the values on standard input.
package let stdin = NodeSpec(
  "stdin", "read standard input until it ends: JSON, CSV, text or another format",
  reference: .init(PackageResources.stdin_md),
  options: AnyOption.list(Decoding.option, StdinOptions.maxValue),
  shorthand: "decode",
  .stream { options, context in StandardInput(options, context) })

private enum StdinOptions {
  static let maxValue = Option(
    "max_value", .size, default: "16MiB", "longer lines, values and documents are reported and skipped")
}

private final class StandardInput: StreamSource {
  private let options: Options
  private let context: SourceContext

  init(_ options: Options, _ context: SourceContext) {
    self.options = options
    self.context = context
  }

  func run(_ feed: Feed) throws {
    let reporter = ParseErrorReporter(context)
    defer { reporter.summarize() }
    let input = try StoppableInput("-", context.stop)
    let progress = ReadingProgress(context)
    defer { progress.end() }
    let reader = ValueReader(
      input, path: "<stdin>", context.decoding(options),
      limits: ReadLimits(value: options[StdinOptions.maxValue]), report: reporter.report)
    while case let values = try reader.nextBatch(), !values.isEmpty, !feed.isStopped {
      progress.note { input.extent }
      feed.send(values)
    }
  }
}
