import JSON
import System

/// YAML as data: the documents of a text as JSON values, without variables.
///
/// Aliases are counted with what they stand for, so that a short text cannot become a large value.
package enum YAMLData {
  private static var limits: Limits {
    var limits = Limits()
    limits.nodes = 1_000_000
    limits.depth = 256
    return limits
  }

  /// The values of a text; `refusal` is asked every thousand events why the work has to end, nil to go on.
  package static func values(
    of bytes: [UInt8], refusal: () -> String? = { nil }
  ) throws(TextFlaw) -> [JSON.Value] {
    let file = SourceFile(path: "", bytes: bytes)
    var values: [JSON.Value] = []
    var composer = Composer(file, limits, Problems(), isData: true)
    let events: EventStream
    do throws(SyntaxError) { events = try EventStream(bytes[...]) } catch {
      throw flaw(describe(error, in: file))
    }
    var count = 0
    while true {
      if count % 1000 == 0, let reason = refusal() { throw TextFlaw(reason, column: 1) }
      count += 1
      let event: YAMLEvent
      do throws(SyntaxError) { event = try events.next() } catch { throw flaw(describe(error, in: file)) }
      switch event.kind {
      case .streamEnd: return values
      case .documentStart: break
      case .documentEnd:
        if let problem = composer.problems.sorted.first { throw flaw(problem) }
        if let root = composer.root { values.append(root.value) }
        composer = Composer(file, limits, Problems(), isData: true)
      default:
        if composer.add(event, bytes, Placeholders()) { continue }
        if let problem = composer.problems.sorted.first { throw flaw(problem) }
      }
    }
  }

  private static func flaw(_ problem: Problem) -> TextFlaw {
    let position = problem.place.position
    return TextFlaw(problem.message, line: position.line, column: position.column)
  }
}
