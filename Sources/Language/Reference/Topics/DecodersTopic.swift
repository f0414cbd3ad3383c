extension Topic {
  /// `flow docs decoders`: the formats of `decode`, with the options and an example of each.
  static let decoders = Topic("decoders", "formats of text that sources read: JSON, CSV, feeds, pages, …") {
    catalog in
    let option = catalog.sources.flatMap(\.options).first { !$0.variants.isEmpty }
    let sources = catalog.sources.filter { $0.options.contains { !$0.variants.isEmpty } }.map {
      "`\($0.kind)`"
    }
    return [
      .text(
        """
        The sources \(sources.joined(separator: ", ")) read text, and `decode` says in which format. It is a name, or a \
        name with options:
        """),
      .yaml(
        """
        sources:
          stations:
            http:
              url: https://example.org/stations.csv
              decode: { csv: { delimiter: ';', types: { height: number } } }
            every: 1d
        """),
      .text(
        """
        Every format gives events like any other: the rows of a table, the entries of a feed or the lines of a text are \
        compared by `changes`, recorded, replayed and tested as JSON rows are.

        A source that is polled fails the poll where any part of the text cannot be decoded, so that nothing counts as \
        removed. A file and standard input report that part, with its line and column, and continue behind it.
        """),
    ] + (option?.variants ?? []).flatMap(parts)
  }

  private static func parts(_ variant: Variant) -> [Part] {
    var parts: [Part] = [.heading("decode: \(variant.name)"), .text("\(variant.summary).")]
    if !variant.details.isEmpty { parts.append(.text(variant.details)) }
    if !variant.options.isEmpty { parts.append(.options(variant.options)) }
    for example in variant.examples {
      parts.append(.text("Example: \(example.title), `decode: \(example.yaml)`"))
      parts.append(.code(info: "text no-test", text: "\(example.input)\n→\n\(example.output)"))
    }
    return parts
  }
}
