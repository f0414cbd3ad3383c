import JSON

/// The jq files that a pipeline includes, each parsed to see whether it can be.
struct IncludedDefinitions {
  /// Path and text of each, in order.
  private(set) var definitions: [(name: String, source: String)] = []
  /// The same by path, to show where their mistakes are.
  private(set) var files: [String: SourceFile] = [:]
  /// Whether one could not be read or is wrong.
  private(set) var isBroken = false

  init(
    _ node: YAMLNode?, folder: String, read: (String) throws -> [UInt8], _ problems: inout Problems
  ) {
    guard let node else { return }
    let elements = node.sequence?.elements ?? [node]
    for element in elements {
      guard let scalar = element.scalar, scalar.meaning == .string, !scalar.text.isEmpty else {
        problems.report(
          "include lists files of definitions, and this is \(element.kind)", at: element.place,
          hint: "for example include: [lib/launch.jq]")
        continue
      }
      let path = scalar.text.hasPrefix("/") || folder == "." ? scalar.text : "\(folder)/\(scalar.text)"
      guard let bytes = try? read(path) else {
        isBroken = true
        problems.report(
          "the file \(quoted(path)) cannot be read", at: scalar.place,
          hint: "included files are looked for relative to the pipeline")
        continue
      }
      let file = SourceFile(path: path, bytes: bytes)
      files[path] = file
      let definition = (name: path, source: String(decoding: bytes, as: UTF8.self))
      if let problem = IncludedDefinitions.problem(definition, after: definitions, files, at: scalar.place) {
        isBroken = true
        problems.report(problem)
      } else {
        definitions.append(definition)
      }
    }
  }

  private static func problem(
    _ definition: (name: String, source: String), after others: [(name: String, source: String)],
    _ files: [String: SourceFile], at place: SourceRange
  ) -> Problem? {
    do throws(ProgramError) {
      _ = try Program(
        ".", variables: ExpressionScope.variables, library: others + [definition])
      return nil
    } catch {
      let file = files[error.source]
      return Problem(error.message, at: file.map { SourceRange($0, error.location.range) } ?? place)
    }
  }
}
