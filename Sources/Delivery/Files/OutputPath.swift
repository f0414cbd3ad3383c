import Engine
import JSON
import Language

/// The path that a sink writes to for an event; the results of expressions cannot lead out of its folder.
///
/// It is below the folder of the run's outputs: see `OutputPolicy`.
package struct OutputPath {
  /// The path, if it is the same for all events.
  package let constant: String?
  private let parts: Evaluation
  private let context: SinkContext

  /// `isWritten` is false where the sink is going to write nothing.
  package init(_ template: PathTemplate, _ context: SinkContext, isWritten: Bool = true) throws {
    self.context = context
    if isWritten { context.reportPlace(of: template) }
    constant = try template.constant.map { try context.place($0) }
    parts = context.evaluation(template.parts)
  }

  package func path(for event: Event) throws -> String {
    if let constant { return constant }
    let parts = try parts.first(event)?.items ?? []
    let path = parts.enumerated().map { index, part in
      let text = part.string ?? "\(part)"
      return index.isMultiple(of: 2) ? text : safePathPart(text)
    }.joined()
    return try context.place(path)
  }
}

/// Makes a part of a file name from data, so that it refers to a file in the intended folder only.
///
/// safePathPart("../etc/passwd")   // "_.-etc-passwd"
///
/// `/` becomes `-`. Control characters, NUL, characters that change the direction of text, and a leading dot become
/// `_`, as does an empty part. At most 100 bytes are kept, cut between characters. Different data may give the same
/// part.
///
/// Links in the folder are the caller's concern: see `AppendFile.Options.followsLinks`, which covers the last component
/// of a path. The folders above it belong to the user.
package func safePathPart(_ data: String) -> String {
  var part = ""
  var size = 0
  for character in data {
    var safe = String.UnicodeScalarView()
    for scalar in character.unicodeScalars { safe.append(safeScalar(scalar)) }
    let text = part.isEmpty && safe.first == "." ? "_" : String(safe)
    guard size + text.utf8.count <= 100 else { break }
    part += text
    size += text.utf8.count
  }
  return part.isEmpty ? "_" : part
}

private func safeScalar(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
  if scalar == "/" { return "-" }
  switch scalar.properties.generalCategory {
  case .control, .format, .lineSeparator, .paragraphSeparator, .surrogate: return "_"
  default: return scalar
  }
}
