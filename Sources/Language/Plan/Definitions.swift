import JSON

/// The pipeline's `vars`, some replaced by `--set` or by one of its tests.
struct Variables {
  private(set) var value = JSON.Value.emptyObject
  private(set) var used: Set<String> = []
  private(set) var problems = Problems()

  init(_ entry: YAMLNode.Entry?, _ settings: [(name: String, text: String)], test: YAMLNode.Mapping? = nil) {
    defer { set(test) }
    guard let entry else { return }
    guard case .mapping(let mapping) = entry.value else {
      if case .null? = entry.value.scalar?.meaning { return }
      problems.report(
        "vars is a mapping of names to values, not \(entry.value.kind)", at: entry.value.place)
      return
    }
    value = entry.value.value
    for setting in settings where mapping[setting.name] != nil {
      used.insert(setting.name)
      value.setMember(Key(setting.name), Variables.value(of: setting.text))
    }
  }

  /// Sets the vars of a test, which the pipeline must have.
  private mutating func set(_ test: YAMLNode.Mapping?) {
    var names: [String] = []
    value.forEachMember { name, _ in names.append(name.string ?? "") }
    for entry in test?.entries ?? [] {
      let name = entry.key.text
      guard value.member(name) != nil else {
        problems.report(
          "the pipeline has no \(quoted(name)) among its vars", at: entry.key.place,
          hint: suggestion(for: name, among: names))
        continue
      }
      value.setMember(Key(name), entry.value.value)
    }
  }

  /// The value of a text of the command line, as YAML would have it.
  static func value(of text: String) -> JSON.Value {
    let document = YAMLDocument(SourceFile(path: "--set", text: text)) { _ in nil }
    guard document.problems.isEmpty, let root = document.root else { return .string(text) }
    return root.value
  }
}

/// The jq files that a pipeline includes, each parsed on its own.
struct IncludedDefinitions {
  private(set) var library = Library()
  /// The files by path, to show where their errors are.
  private(set) var files: [String: SourceFile] = [:]
  /// The paths as the pipeline has them.
  private(set) var names: [String] = []
  /// Whether one could not be read or is wrong.
  private(set) var isBroken = false

  init(
    _ node: YAMLNode?, folder: String, read: (String) throws -> [UInt8],
    installed: (String) -> String? = { _ in nil }, _ problems: inout Problems
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
          hint: "included files are looked for relative to the pipeline"
            + (installed(scalar.text).map { "; for a copy of the installed one: install -D \($0) \(path)" }
              ?? ""))
        continue
      }
      let file = SourceFile(path: path, bytes: bytes)
      files[path] = file
      names.append(scalar.text)
      var extended = library
      do throws(ProgramError) {
        try extended.add(String(decoding: bytes, as: UTF8.self), name: path)
        _ = try Program(".", variables: ExpressionScope.variables, library: extended)
        library = extended
      } catch {
        isBroken = true
        let place = files[error.source].map { SourceRange($0, error.location.range) } ?? scalar.place
        problems.report(Problem(error.message, at: place))
      }
    }
  }
}
