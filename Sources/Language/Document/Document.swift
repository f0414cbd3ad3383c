/// A YAML file, read: its tree with the place of everything, and what is wrong with it.
///
/// ```
/// let file = SourceFile(path: "a.yaml", text: "every: 6h")
/// let document = Document(file, environment: { _ in nil })
/// document.root?.mapping?["every"]?.value.scalar?.text  // 6h
/// ```
public struct Document: Sendable {
  public let file: SourceFile
  /// What could be read, however much is wrong; nil when there is nothing.
  public let root: Node?
  public let problems: Problems
  /// Whether all of the file is in the tree; if not, what seems to be missing may be in the part that is not.
  public let isWhole: Bool
  /// The values of the environment in it.
  public private(set) var secrets = Secrets()

  /// Reads a file; `environment` gives the values for `${NAME}`.
  public init(_ file: SourceFile, limits: Limits = Limits(), environment: (String) -> String?) {
    self.file = file
    var problems = Problems()
    guard file.bytes.count <= limits.bytes else {
      problems.report(
        "the file is too large to be a pipeline", at: Place(file, 0..<0),
        hint: "at most \(limits.bytes) bytes are read; is it data rather than a pipeline?")
      (root, isWhole, self.problems) = (nil, false, problems)
      return
    }
    let screened = Screened(file, &problems)
    if screened.isForeign {
      (root, isWhole, self.problems) = (nil, false, problems)
      return
    }
    var reader = DocumentReader(file, limits, problems)
    reader.read(screened, environment: environment)
    problems = reader.composer.problems
    secrets = reader.composer.secrets
    if reader.composer.isEmpty, reader.isWhole {
      problems.report(
        "the file is empty", at: Place(file, 0..<0), hint: "a pipeline has at least sources and sinks")
    }
    root = reader.composer.root
    isWhole = reader.isWhole
    self.problems = problems
  }
}
