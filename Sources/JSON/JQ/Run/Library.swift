/// A library: definitions that several programs share, parsed once.
///
///     let library = try Library([("late.jq", "def late: .net > $limit;")])
///     try Program("select(late)", variables: ["limit"], library: library)
public struct Library: Sendable {
  /// The texts in order; each sees the definitions of its own alone.
  private(set) var modules: [Module] = []

  public init() {}

  /// Parses texts of definitions, each with its name.
  public init(_ texts: [(name: String, source: String)]) throws(ProgramError) {
    for text in texts { try add(text.source, name: text.name) }
  }

  /// Parses a further text; what the library has remains where it is wrong.
  public mutating func add(_ source: String, name: String) throws(ProgramError) {
    let module = try Parser.parse(ProgramText(name: name, text: Array(source.utf8)))
    if let main = module.main {
      throw ProgramError(
        "library should only have function definitions, not a main expression", in: module.source,
        at: main.span)
    }
    modules.append(module)
  }
}
