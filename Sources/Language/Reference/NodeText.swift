/// The page of `flow docs KIND`, as lines for a terminal.
public struct NodeText {
  private let spec: NodeSpec
  private let width: Int
  private let paint: Paint
  private var lines: [String] = []

  public static func lines(_ spec: NodeSpec, width: Int, paint: Paint = .off) -> [String] {
    var text = NodeText(spec, width, paint)
    text.write()
    return text.lines
  }

  private init(_ spec: NodeSpec, _ width: Int, _ paint: Paint) {
    (self.spec, self.width, self.paint) = (spec, max(40, width), paint)
  }

  private mutating func write() {
    lines += wrapped("\(spec.kind), a \(spec.roleName): \(spec.summary)", to: width)
    if let first = lines.first, first.hasPrefix(spec.kind) {
      lines[0] = paint(spec.kind, .bold) + first.dropFirst(spec.kind.count)
    }
    section("Options", spec.innerOptions, none: "None.")
    if let shorthand = spec.shorthandText {
      lines += [""] + wrapped(shorthand.filter { $0 != "`" }, to: width)
    }
    if !spec.examples.isEmpty { title("Examples") }
    if spec.hasTimedExamples {
      lines += [paint("  (flow docs examples explains how to read them)", .dim), ""]
    }
    for (index, example) in spec.examples.enumerated() {
      if index > 0 { lines.append("") }
      write(example)
    }
    if !spec.details.isEmpty {
      title("Details")
      lines += wrapped(spec.details, to: width)
    }
    if let state = spec.state {
      title("State")
      lines += wrapped(state, to: width, indent: 2)
    }
    section("Options of every \(spec.roleName), next to it", spec.besideOptions, none: nil)
  }

  private mutating func title(_ text: String) { lines += ["", paint(text, .bold)] }

  private mutating func section(_ name: String, _ options: [AnyOption], none: String?) {
    if options.isEmpty, none == nil { return }
    title(name)
    if let none, options.isEmpty { lines.append("  " + none) }
    for option in options {
      let type = " \(option.typeName), \(option.need)"
      // A long list of choices is wrapped as any text.
      let head = wrapped(option.name + type, to: width, indent: 2)
      for (index, line) in head.enumerated() {
        guard index == 0 else {
          lines.append(paint(line, .dim))
          continue
        }
        let rest = String(line.dropFirst(2 + option.name.count))
        lines.append("  " + paint(option.name, .cyan) + " " + paint(rest, .dim))
      }
      lines += wrapped(option.doc, to: width, indent: 6)
    }
  }

  private mutating func write(_ example: NodeSpec.Example) {
    lines.append(paint("  # \(example.title)", .dim))
    lines += indented(example.yaml, 2)
    if example.input.isEmpty, example.output.isEmpty { return }
    lines += indented(example.input, 6)
    let side = indented(example.other, 6)
    if !side.isEmpty { lines += ["    with, from other"] + side }
    let web = indented(example.web, 6)
    if !web.isEmpty { lines += ["    with, from the network"] + web }
    let output = indented(example.output, 6)
    if output.isEmpty {
      lines.append("    → nothing")
    } else {
      for (index, line) in output.enumerated() {
        lines.append(index == 0 ? "    → " + line.dropFirst(6) : line)
      }
    }
  }

  private func indented(_ text: String, _ indent: Int) -> [String] {
    text.split(separator: "\n").map { String(repeating: " ", count: indent) + $0 }
  }
}

extension Catalog {
  /// The nodes of each role under a title, as `flow nodes` lists them.
  public func list(width: Int, paint: Paint = .off) -> [String] {
    let column = (nodes.map(\.kind.columns).max() ?? 0) + 4
    var lines: [String] = []
    for (title, specs) in [("Sources", sources), ("Steps", steps), ("Sinks", sinks)] where !specs.isEmpty {
      if !lines.isEmpty { lines.append("") }
      lines.append(paint(title, .bold))
      for spec in specs {
        let words = wrapped(spec.summary, to: max(width, column + 20), indent: column)
        lines.append("  " + paint(spec.kind, .cyan) + (words.first ?? "").dropFirst(2 + spec.kind.columns))
        lines += words.dropFirst()
      }
    }
    return lines
  }
}
