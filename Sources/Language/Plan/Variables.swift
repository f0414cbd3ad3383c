import JSON

/// The pipeline's `vars`, with what `--set`, or one of its tests, puts in their place.
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

  /// A test may set only what there is to be set.
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

  /// What a text of the command line means: what it would mean in YAML.
  static func value(of text: String) -> JSON.Value {
    let document = YAMLDocument(SourceFile(path: "--set", text: text)) { _ in nil }
    guard document.problems.isEmpty, let root = document.root else { return .string(text) }
    return root.value
  }
}
