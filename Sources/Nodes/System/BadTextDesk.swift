import Engine
import Language

/// Tells of text that is not JSON: the first few one by one, the others in a line at the end.
final class ParseErrorReporter {
  private static let told = 5

  private let context: SourceContext
  private var count = 0

  init(_ context: SourceContext) { self.context = context }

  func report(_ text: BadText) {
    count += 1
    context.meter.countError()
    if count <= Self.told { context.log.error("\(text)") }
  }

  func summarize() {
    let untold = count - Self.told
    if untold > 0 {
      context.log.error("\(untold) more part\(untold == 1 ? "" : "s") of the text passed over")
    }
  }
}
