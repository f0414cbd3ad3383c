/// A YAML document: the tree with the source range of every node, and the problems.
///
/// ```
/// let file = SourceFile(path: "a.yaml", text: "every: 6h")
/// let document = YAMLDocument(file, Placeholders())
/// document.root?.mapping?["every"]?.value.scalar?.text  // 6h
/// ```
public struct YAMLDocument: Sendable {
  public let file: SourceFile
  /// The part that could be read, however much is wrong; nil when there is nothing.
  public let root: YAMLNode?
  public let problems: Problems
  /// Whether all of the file is in the tree; if not, what seems to be missing may be in the part that is not.
  public let isWhole: Bool
  /// The values of placeholders in it.
  public private(set) var secrets = Secrets()
  /// Scalars with a value that is not known until the pipeline runs.
  private(set) var unknowns: [SourceRange] = []

  /// Reads a file; `placeholders` gives the values for `${NAME}` and the like.
  ///
  /// - Parameter mayBeEmpty: Whether a file without a value is all right, as one of settings is.
  public init(
    _ file: SourceFile, limits: Limits = Limits(), mayBeEmpty: Bool = false,
    _ placeholders: Placeholders = Placeholders()
  ) {
    self.file = file
    var problems = Problems()
    guard file.bytes.count <= limits.bytes else {
      problems.report(
        "the file is too large to be a pipeline", at: SourceRange(file, 0..<0),
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
    reader.read(screened, placeholders)
    problems = reader.composer.problems
    secrets = reader.composer.secrets
    unknowns = reader.composer.unknowns
    if reader.composer.isEmpty, reader.isWhole, !mayBeEmpty {
      problems.report(
        "the file is empty", at: SourceRange(file, 0..<0), hint: "a pipeline has at least sources and sinks")
    }
    root = reader.composer.root
    isWhole = reader.isWhole
    self.problems = problems
  }

  /// Reads a file in which only `${NAME}` has values.
  public init(
    _ file: SourceFile, limits: Limits = Limits(), environment: @escaping @Sendable (String) -> String?
  ) {
    self.init(file, limits: limits, Placeholders(environment: environment))
  }
}

/// The limits of a document: what a person writes is far below, what would harm is above.
public struct Limits: Sendable {
  /// The size of the file.
  public var bytes = 4 << 20
  /// Keys and values in all, each alias counting as much as what it stands for.
  public var nodes = 100_000
  /// Mappings and sequences within each other.
  public var depth = 64
  /// Syntax errors after which the rest of the file is left unread.
  public var syntaxErrors = 20

  public init() {}
}

/// A reader that drives libyaml over a file.
///
/// Behind a syntax error it goes on at the next key of the outermost mapping, so that one mistake does not hide the
/// others.
struct DocumentReader {
  private(set) var composer: Composer
  private(set) var isWhole = true
  private let file: SourceFile
  private let limits: Limits

  init(_ file: SourceFile, _ limits: Limits, _ problems: Problems) {
    self.file = file
    self.limits = limits
    composer = Composer(file, limits, problems)
  }

  mutating func read(_ screened: Screened, _ placeholders: Placeholders) {
    var start = screened.start
    for _ in 0..<max(1, limits.syntaxErrors) {
      do {
        if try !readDocument(screened.bytes[start...], screened, placeholders) { isWhole = false }
        return
      } catch {
        isWhole = false
        composer.problems.report(describe(error, in: file))
        composer.closeAll(at: error.offset)
        composer.isBroken = true
        guard let next = restart(after: max(start, min(error.offset, error.contextOffset))) else { return }
        start = next
      }
    }
  }

  /// Whether it was read to its end.
  private mutating func readDocument(
    _ bytes: ArraySlice<UInt8>, _ screened: Screened, _ placeholders: Placeholders
  ) throws(SyntaxError) -> Bool {
    let events = try EventStream(bytes)
    var hasDocument = false
    while true {
      let event = try events.next()
      switch event.kind {
      case .streamEnd: return true
      case .documentEnd: hasDocument = true
      case .documentStart where hasDocument:
        composer.problems.report(
          "a second document begins here", at: SourceRange(file, event.range),
          hint: "a pipeline is one document; put the other in a file of its own")
        return false
      case .documentStart: break
      default:
        if !composer.add(event, screened.bytes, placeholders) {
          composer.closeAll(at: event.range.lowerBound)
          return false
        }
      }
    }
  }

  /// The next line that begins with a name and a colon.
  private func restart(after offset: Int) -> Int? {
    var line = file.position(of: offset).line + 1
    while line <= file.lineCount {
      let range = file.range(ofLine: line)
      let name = file.bytes[range].prefix { byte in
        (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
          || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
      }
      let isKey = !name.isEmpty && name.first != UInt8(ascii: "-") && name.endIndex < range.upperBound
      if isKey, file.bytes[name.endIndex] == UInt8(ascii: ":") { return range.lowerBound }
      line += 1
    }
    return nil
  }
}
