/// A pipeline file to begin with, made of chosen nodes: right as it is, each option explained beside it.
///
///     print(Skeleton(name: "new", sources: [stdin], steps: [filter], sinks: [jsonl]).text)
///
/// Options that an example of the node gives have the value they have there; the others are commented out.
public struct Skeleton {
  /// The source that examples of steps with a side input read.
  private static let other = "other"
  private static let width = 100

  private let name: String
  private let sources: [NodeSpec]
  private let steps: [NodeSpec]
  private let sinks: [NodeSpec]
  /// Options that have been explained above already, by role; once is enough.
  private var explained: Set<String> = []
  private var lines: [String] = []

  public init(name: String, sources: [NodeSpec], steps: [NodeSpec], sinks: [NodeSpec]) {
    self.name = name
    self.sources = sources
    self.steps = steps
    self.sinks = sinks
    write()
  }

  public var text: String { lines.joined(separator: "\n") + "\n" }

  private mutating func write() {
    lines = [
      "# flow check FILE says whether it is right, flow run FILE runs it, flow docs KIND explains a node.",
      "", "name: \(FlowYAML.quoted(name))", "description: What this pipeline is for.", "", "sources:",
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
    lines.append("")
    if needsOther {
      let names = sources.indices.map { $0 == 0 ? "input" : "input-\($0 + 1)" }.joined(separator: ", ")
      lines += ["streams:", "  main:", "    from: [\(names)]", "    steps:"]
      for spec in steps { write(spec, indent: 6, isListed: true) }
    } else if !steps.isEmpty {
      lines.append("steps:")
      for spec in steps { write(spec, indent: 2, isListed: true) }
    }
    if lines.last != "" { lines.append("") }
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
    comment(spec.summary, indent)
    let example = SkeletonExample(spec)
    let given = spec.innerOptions.filter { example.values[$0.name] != nil }
    let others = spec.innerOptions.filter { example.values[$0.name] == nil }
    let head = blanks(indent) + dash + spec.kind + ":"
    if spec.isBare, let option = given.first, let value = example.values[option.name] {
      explain(option, indent)
      lines += SkeletonExample.entry(head, value, indent: inner)
    } else {
      lines.append(head)
      for option in given {
        guard var value = example.values[option.name] else { continue }
        if number > 1, ["path", "path template"].contains(option.typeName) {
          value = numbered(value, number)
        }
        explain(option, inner + 2)
        lines += SkeletonExample.entry(blanks(inner + 2) + option.name + ":", value, indent: inner + 2)
      }
      for option in others { commentedOut(option, inner + 2) }
    }
    beside(spec, inner)
    if isListed { lines.append("") }
  }

  /// The options beside a node; after the first node of a role they are not repeated.
  private mutating func beside(_ spec: NodeSpec, _ indent: Int) {
    let isFirst = explained.insert(spec.roleName).inserted
    for option in spec.besideOptions where option.name != SinkOptions.from.name {
      if option.name == SourceOptions.every.name {
        explain(option, indent)
        lines.append("\(blanks(indent))\(option.name): \(option.sample)")
      } else if isFirst {
        commentedOut(option, indent)
      }
    }
  }

  private mutating func commentedOut(_ option: AnyOption, _ indent: Int) {
    explain(option, indent)
    lines += SkeletonExample.entry(
      blanks(indent) + "# " + option.name + ":", option.fallback ?? option.sample, indent: indent,
      isComment: true)
  }

  private mutating func explain(_ option: AnyOption, _ indent: Int) {
    comment("\(option.doc) (\(option.typeName))", indent)
  }

  private mutating func comment(_ text: String, _ indent: Int) {
    lines += wrapped(text, to: Self.width - indent - 2).map { blanks(indent) + "# " + $0 }
  }

  /// `out/a.jsonl` and 2 give `out/a-2.jsonl`.
  private func numbered(_ path: String, _ number: Int) -> String {
    guard let dot = path.lastIndex(of: "."), !path[dot...].contains("/") else { return "\(path)-\(number)" }
    return "\(path[..<dot])-\(number)\(path[dot...])"
  }

  private func blanks(_ count: Int) -> String { String(repeating: " ", count: count) }
}
