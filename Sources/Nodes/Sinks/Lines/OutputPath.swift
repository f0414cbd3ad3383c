import Engine
import JSON
import Language

/// The path that a sink writes to for an event: what expressions give cannot lead out of its folder.
///
/// It is below the folder that the run's outputs lie in: see `OutputPolicy`.
struct OutputPath {
  /// The path, where it is always the same.
  let constant: String?
  private let parts: Evaluation
  private let context: SinkContext

  /// `isWritten` is false where the sink is going to write nothing.
  init(_ template: PathTemplate, _ context: SinkContext, isWritten: Bool = true) throws {
    self.context = context
    if isWritten { context.reportPlace(of: template) }
    constant = try template.constant.map { try context.place($0) }
    parts = context.evaluation(template.parts)
  }

  func path(for event: Event) throws -> String {
    if let constant { return constant }
    let parts = try parts.first(event)?.items ?? []
    let path = parts.enumerated().map { index, part in
      let text = part.string ?? "\(part)"
      return index.isMultiple(of: 2) ? text : safePathPart(text)
    }.joined()
    return try context.place(path)
  }
}

/// Makes a part of a file name of data, so that it names a file in the folder it is put in and nothing else.
///
///     safePathPart("../etc/passwd")   // "_.-etc-passwd"
///
/// `/` becomes `-`; control characters, NUL and what turns the direction of writing become `_`, as does a dot at the
/// beginning, which would hide the file or lead out of the folder; an empty part becomes `_`. At most 100 bytes are
/// kept, cut between characters. Different data may give the same part.
///
/// That a link in the folder does not lead out of it is up to who opens the file: `AppendFile.Options.followsLinks`
/// is for that. It guards the last part of a path; the folders above are the user's own.
func safePathPart(_ data: String) -> String {
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
