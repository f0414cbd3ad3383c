import Decode
import Engine
import Language

/// Reports text that cannot be decoded: the first cases one by one, the others as a number at the end.
package final class ParseErrorReporter {
  private static let reported = 5

  private let context: SourceContext
  private var count = 0

  package init(_ context: SourceContext) { self.context = context }

  package func report(_ text: BadText) { report("\(text)") }

  package func report(_ message: String) {
    count += 1
    context.meter.countError()
    context.meter.countLost()
    if count <= Self.reported { context.log.error(message) }
  }

  package func summarize() {
    let unreported = count - Self.reported
    if unreported > 0 {
      context.log.error("\(unreported) more invalid part\(unreported == 1 ? "" : "s") of the text skipped")
    }
  }
}

extension SourceContext {
  /// The format that a source's options name, for as long as the source is there; decoding ends when it is stopped.
  package func decoding(_ options: Options) -> Decoding {
    var decoding = options[Decoding.option]
    decoding.budget.stop = stop
    decoding.notes = DecodeNotes { [log] in log.warning($0) }
    return decoding
  }
}
