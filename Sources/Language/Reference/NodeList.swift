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
