import JSON
import Engine
import Language

/// The path that a sink writes to for an event: what expressions give cannot lead out of its folder.
struct OutputPath {
  /// Where it is always the same.
  let constant: String?
  private let parts: Evaluation

  init(_ template: PathTemplate, _ context: SinkContext) {
    constant = template.constant
    parts = context.evaluation(template.parts)
  }

  func path(for event: Event) throws -> String {
    if let constant { return constant }
    let parts = try parts.first(event)?.items ?? []
    return parts.enumerated().map { index, part in
      let text = part.string ?? "\(part)"
      return index.isMultiple(of: 2) ? text : safePathPart(text)
    }.joined()
  }
}
