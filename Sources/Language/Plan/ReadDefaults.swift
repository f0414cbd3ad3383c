/// What a config gives nodes that do not say it themselves:
///
///     defaults:
///       launch_library: { url: "https://lldev.thespacedevs.com", cache: 1h }
///       notify: { through: bell }
extension PlanBuilder {
  private var allDefaults: [YAMLNode.Entry] { reader.defaults?.mapping?.entries ?? [] }

  /// What the config has for a node, of the options that it has and is not given.
  func defaults(of spec: NodeSpec, _ options: [AnyOption], beside given: YAMLNode.Mapping) -> [YAMLNode.Entry]
  {
    let entries = allDefaults.filter { $0.key.text == spec.kind }.flatMap { $0.value.mapping?.entries ?? [] }
    return entries.filter { entry in
      given[entry.key.text] == nil && options.contains { $0.name == entry.key.text }
    }
  }

  /// Whether all of them are options of nodes that there are.
  func checkDefaults() {
    guard let root = reader.defaults else { return }
    let hint = "for example defaults: { launch_library: { cache: 1h } }"
    guard checker.mapping(root, "defaults", hint: hint) != nil else { return }
    for entry in allDefaults {
      let kind = entry.key.text
      let names = catalog.named(kind).flatMap { $0.options.map(\.name) }
      if catalog.named(kind).isEmpty {
        checker.report(
          "there is no node \(quoted(kind))", at: entry.key.place,
          hint: suggestion(for: kind, among: catalog.nodes.map(\.kind)))
      } else if let options = checker.mapping(entry.value, "the options of \(kind)", hint: hint) {
        for option in options.entries where !names.contains(option.key.text) {
          checker.reportUnknown(option.key, option: option.key.text, of: kind, among: names)
        }
      }
    }
  }
}
