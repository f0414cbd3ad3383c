import JSON

/// The pipeline's `vars`, with what `--set` puts in their place.
struct Variables {
  private(set) var value = JSON.Value.emptyObject
  private(set) var used: Set<String> = []
  private(set) var problems = Problems()

  init(_ entry: Node.Entry?, _ settings: [(name: String, text: String)]) {
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

  /// What a text of the command line means: what it would mean in YAML.
  static func value(of text: String) -> JSON.Value {
    let document = Document(SourceFile(path: "--set", text: text)) { _ in nil }
    guard document.problems.isEmpty, let root = document.root else { return .string(text) }
    return root.value
  }
}
