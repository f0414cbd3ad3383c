/// A skeleton: a short pipeline file of chosen nodes that can be run as it is.
///
///     print(Skeleton(name: "new", sources: [stdin], steps: [filter], sinks: [jsonl]).text)
///
/// It has the options that an example of the node gives, and those that it requires.
public struct Skeleton {
  /// The source that examples of steps with a side input read.
  private static let other = "other"
  /// The types of options that no two nodes may have the same value of.
  private static let ownTypes = ["path", "path template", "key template"]

  private let name: String
  private let sources: [NodeSpec]
  private let steps: [NodeSpec]
  private let sinks: [NodeSpec]
  /// Whether the nodes that follow receive changes, whose rows are `.after` and `.before`.
  private var isBehindChanges = false
  private var lines: [String] = []

  public init(name: String, sources: [NodeSpec], steps: [NodeSpec], sinks: [NodeSpec]) {
    self.name = name
    self.sources = sources
    // What may stand below a partition depends on keys that only the reader of the skeleton knows.
    self.steps = steps.filter { !$0.isPartition } + steps.filter(\.isPartition).prefix(1)
    self.sinks = sinks
    write()
  }

  public var text: String { lines.joined(separator: "\n") + "\n" }

  private mutating func write() {
    let kinds = (sources + steps + sinks).map(\.kind)
    let distinct = kinds.enumerated().filter { !kinds[..<$0.offset].contains($0.element) }.map(\.element)
    lines = [
      "# flow docs KIND has every option: \(distinct.joined(separator: ", ")).",
      "name: \(FlowYAML.quoted(name))", "sources:",
    ]
    let needsOther = steps.contains { $0.options.contains { $0.typeName == OptionType<String>.stream.name } }
    for (index, spec) in sources.enumerated() {
      lines.append("  \(index == 0 ? "input" : "input-\(index + 1)"):")
      write(spec, indent: 4, isListed: false)
    }
    if needsOther, let spec = sources.last {
      lines.append("  \(Self.other):")
      write(spec, indent: 4, isListed: false)
    }
    if needsOther {
      let names = sources.indices.map { $0 == 0 ? "input" : "input-\($0 + 1)" }.joined(separator: ", ")
      lines += ["streams:", "  main:", "    from: [\(names)]", "    steps:"]
    } else if !steps.isEmpty {
      lines.append("steps:")
    }
    for spec in steps { write(spec, indent: needsOther ? 6 : 2, isListed: true) }
    lines.append("sinks:")
    for (index, spec) in sinks.enumerated() {
      lines.append("  \(index == 0 ? "output" : "output-\(index + 1)"):")
      // Two sinks must not write one file.
      write(spec, indent: 4, isListed: false, number: sinks[..<index].count { $0.kind == spec.kind } + 1)
      if needsOther { lines.append("    from: main") }
    }
  }

  private mutating func write(_ spec: NodeSpec, indent: Int, isListed: Bool, number: Int = 1) {
    let dash = isListed ? "- " : ""
    let inner = indent + dash.utf8.count
    if spec.isPartition {
      lines.append("\(blanks(indent))# move it above the steps that are to run so, which go by the same key")
    }
    let example = SkeletonExample(spec, of: name, behindChanges: isBehindChanges && spec.roleName != "source")
    defer {
      if spec.comparesPolls { isBehindChanges = true } else if spec.takesMapping { isBehindChanges = false }
    }
    let given = spec.innerOptions.compactMap { option in
      example.values[option.name].map { value in
        (option, number > 1 && Self.ownTypes.contains(option.typeName) ? numbered(value, number) : value)
      }
    }
    let head = blanks(indent) + dash + spec.kind + ":"
    if given.count == 1, spec.takesMapping || given[0].0.name == spec.shorthand {
      lines += SkeletonExample.entry(head, given[0].1, indent: inner)
    } else {
      lines.append(head)
      for (option, value) in given {
        lines += SkeletonExample.entry(blanks(inner + 2) + option.name + ":", value, indent: inner + 2)
      }
    }
    if let every = spec.besideOptions.first(where: { $0.name == SourceOptions.every.name }) {
      lines.append("\(blanks(inner))\(every.name): \(every.sample)")
      lines.append("\(blanks(inner))\(SourceOptions.fresh.name): 3")
    }
  }

  /// `out/a.jsonl` and 2 give `out/a-2.jsonl`.
  private func numbered(_ path: String, _ number: Int) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "\(path)-\(number)" }
    return "\(path[..<dot])-\(number)\(path[dot...])"
  }

  private func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }
}

/// The option values of a node in a skeleton: those of its first example, and those it requires.
struct SkeletonExample {
  /// By the option's name, as YAML that may stand behind `name: `; some have several lines.
  private(set) var values: [String: String] = [:]

  /// `name` is that of the pipeline, which its output files have too.
  init(_ spec: NodeSpec, of name: String = "", behindChanges: Bool = false) {
    defer { adapt(spec, name, behindChanges) }
    // Of what builds objects an example that does: steps behind it find members to work with.
    let building = spec.examples.first { spec.takesMapping && $0.yaml.hasPrefix("\(spec.kind): {") }
    if let yaml = (building ?? spec.examples.first)?.yaml { take(yaml, spec) }
    for option in spec.innerOptions where option.isRequired && values[option.name] == nil {
      values[option.name] = Self.withDefaults(option.sample)
    }
  }

  /// Names output files after the pipeline, and has expressions read the row of a change.
  private mutating func adapt(_ spec: NodeSpec, _ name: String, _ isBehindChanges: Bool) {
    for option in spec.innerOptions {
      guard let value = values[option.name] else { continue }
      if spec.roleName == "sink", !name.isEmpty, value.hasPrefix("out/"), !value.contains("\\"),
        let dot = value.lastIndex(of: ".")
      {
        values[option.name] = "out/\(fileName(of: name))\(value[dot...])"
      } else if isBehindChanges, option.name == "key", value == ".id" {
        values[option.name] = ".key"
      } else if isBehindChanges, ["expression", "template"].contains(option.typeName) {
        values[option.name] = Self.readingRows(value, isTemplate: option.typeName == "template")
      }
    }
  }

  /// `\(.name)` as `\((.after // .before).name)`, and `.net` as `(.after // .before).net`.
  private static func readingRows(_ text: String, isTemplate: Bool) -> String {
    let row = "(.after // .before)"
    if isTemplate { return text.replacing("\\(.", by: "\\(\(row).") }
    return text.hasPrefix(".") && text.count > 1 && !text.contains(" ") ? row + text : text
  }

  private mutating func take(_ yaml: String, _ spec: NodeSpec) {
    let document = YAMLDocument(SourceFile(path: "example", text: yaml)) { _ in "" }
    guard let value = document.root?.mapping?[spec.kind]?.value else { return }
    guard case .mapping(let mapping) = value, !spec.takesMapping else {
      guard let shorthand = spec.shorthand else { return }
      if value.scalar?.written.isEmpty == true { return }
      values[shorthand] = Self.text(value)
      return
    }
    for entry in mapping.entries {
      let option = spec.innerOptions.first { $0.name == entry.key.text }
      // The environment that a secret comes from has not been set up yet.
      guard let option, option.isRequired || !option.typeName.hasSuffix("secret") else { continue }
      values[option.name] = Self.text(entry.value)
    }
  }

  /// The value as it was written, where that can stand in another place.
  private static func text(_ value: YAMLNode) -> String {
    guard let scalar = value.scalar else { return withDefaults(FlowYAML.text(value)) }
    switch scalar.style {
    case .plain where !scalar.written.contains("\n"): return withDefaults(scalar.written)
    case .literal, .folded:
      var text = scalar.written
      while text.last == "\n" { text.removeLast() }
      return withDefaults("|\n" + text)
    default: return withDefaults(FlowYAML.text(value))
    }
  }

  /// `${NAME}` as `${NAME:-}`, so that the file is right before the variable is set.
  private static func withDefaults(_ text: String) -> String {
    var result = ""
    var rest = text[...]
    while let dollar = rest.firstIndex(of: "$") {
      result += rest[..<dollar]
      rest = rest[dollar...]
      guard rest.hasPrefix("${"), let end = rest.firstIndex(of: "}") else {
        result.append(rest.removeFirst())
        continue
      }
      let name = rest[..<end]
      result += name.contains(":") ? "\(name)}" : "\(name):-}"
      rest = rest[rest.index(after: end)...]
    }
    return result + rest
  }

  /// The lines of a mapping's entry; further lines of the value are indented behind it.
  static func entry(_ head: String, _ value: String, indent: Int) -> [String] {
    let parts = value.split(separator: "\n", omittingEmptySubsequences: false)
    let margin = String(repeating: " ", count: indent) + "  "
    let isBlock = value.hasPrefix("|") || value.hasPrefix(">") || parts.count == 1
    // A mapping or list of several lines begins on a line of its own.
    var lines = [isBlock ? "\(head) \(parts[0])" : head]
    for part in isBlock ? parts.dropFirst() : parts[...] { lines.append(part.isEmpty ? "" : margin + part) }
    return lines
  }
}
