/// The manual pages of pipeline files and nodes, from the same declarations as `flow docs`.
public struct ReferencePages: Sendable {
  private let catalog: Catalog
  private let version: String
  private let date: String

  public init(_ catalog: Catalog, version: String, date: String) {
    (self.catalog, self.version, self.date) = (catalog, version, date)
  }

  /// flow-pipeline(5): all topics.
  public var pipeline: String {
    var page = page("flow-pipeline", 5, "the format of pipeline files")
    page.heading("Description")
    page.text(
      """
      `flow run` runs pipelines. This manual describes what their files contain; `flow docs TOPIC` shows each \
      section. `flow-nodes`(7) describes the nodes.
      """)
    for topic in Topic.all {
      page.heading(topic.name)
      page.text(topic.summary.prefix(1).uppercased() + topic.summary.dropFirst() + ".")
      page.add(topic, catalog)
    }
    page.heading("See also")
    page.text("`flow`(1), `flow-nodes`(7), `jq`(1)")
    return page.source
  }

  /// flow-nodes(7): all sources, steps and sinks.
  public var nodes: String {
    var page = page("flow-nodes", 7, "the sources, steps and sinks of pipelines")
    page.heading("Description")
    page.text(
      """
      A pipeline consists of nodes: sources, steps and sinks. This manual describes each kind with its options; \
      `flow docs KIND` shows one, `flow nodes` lists them. `flow-pipeline`(5) describes the file.
      """)
    for (title, specs) in [
      ("Sources", catalog.sources), ("Steps", catalog.steps), ("Sinks", catalog.sinks),
    ] where !specs.isEmpty {
      page.heading(title)
      // Every node of a role has them, so they are described once.
      let beside = specs.first?.besideOptions ?? []
      if !beside.isEmpty {
        page.text("Options of every \(specs.first?.roleName ?? "node"), next to its kind:")
        page.add(beside)
      }
      for spec in specs { page.add(spec) }
    }
    page.heading("See also")
    page.text("`flow`(1), `flow-pipeline`(5)")
    return page.source
  }

  /// A manual page of one topic.
  public func text(_ topic: Topic) -> String {
    var page = page("flow-\(topic.name)", 5, topic.summary)
    page.heading("Description")
    page.add(topic, catalog)
    return page.source
  }

  /// A manual page of the nodes of one kind.
  public func text(_ specs: [NodeSpec]) -> String {
    var page = page("flow-\(specs.first?.kind ?? "node")", 7, specs.first?.summary ?? "")
    page.heading("Description")
    for spec in specs { page.add(spec, withBeside: true) }
    return page.source
  }

  private func page(_ name: String, _ section: Int, _ summary: String) -> ManPage {
    ManPage(name, section: section, summary, version: version, date: date)
  }
}

extension ManPage {
  fileprivate mutating func add(_ topic: Topic, _ catalog: Catalog) {
    for part in topic.parts(catalog) {
      switch part {
      case .heading(let text): subheading(text)
      case .text(let text): self.text(text)
      case .code: code(part.titledCode)
      case .table(let columns, let rows): for cells in rows { add(cells, columns) }
      }
    }
  }

  private mutating func add(_ cells: [String], _ columns: [String]) {
    let notes = zip(columns, cells).dropFirst().dropLast().filter { !$0.1.isEmpty }
      .map { $0 == "default" && $1 != "required" ? "default \($1)" : $1 }
    item((cells.first ?? "").filter { $0 != "`" }, cells.last ?? "", note: notes.joined(separator: ", "))
  }

  fileprivate mutating func add(_ options: [AnyOption]) {
    for option in options { item(option.name, option.doc, note: "\(option.typeName), \(option.need)") }
  }

  fileprivate mutating func add(_ spec: NodeSpec, withBeside: Bool = false) {
    subheading(spec.kind)
    text("A \(spec.roleName): \(spec.summary).")
    if !spec.details.isEmpty { text(spec.details) }
    add(spec.innerOptions)
    if let shorthand = spec.shorthandText { text(shorthand) }
    if let state = spec.state { text("State: \(state)") }
    if withBeside, !spec.besideOptions.isEmpty {
      text("Options of every \(spec.roleName), next to its kind:")
      add(spec.besideOptions)
    }
    for example in spec.examples {
      text("Example: \(example.title)")
      code(example.yaml)
      let parts = [
        ("turns", example.input), ("with, from `other`,", example.other),
        ("with, from the network,", example.web),
      ].filter { !$0.1.isEmpty }
      for (word, lines) in parts {
        text(word)
        code(lines)
      }
      if parts.isEmpty { continue }
      text(example.output.isEmpty ? "into nothing." : "into")
      if !example.output.isEmpty { code(example.output) }
    }
  }
}
