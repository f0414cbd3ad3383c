import JSON
import System

/// A topic of the reference, as `flow docs pipeline` prints it: a file of Markdown in `Topics`, with tables from the
/// declarations of options and examples that run as tests.
public struct Topic: Sendable {
  public let name: String
  /// One line, as `flow docs` lists it.
  public let summary: String
  /// The text below the summary.
  ///
  /// Every command makes all topics, so it is read only where it is shown.
  private let text: ArraySlice<UInt8>

  /// All topics, in the order in which they are listed; a new file adds its own here.
  public static let all: [Topic] = [
    PackageResources.pipeline_md, PackageResources.sources_md, PackageResources.decoders_md,
    PackageResources.steps_md, PackageResources.sinks_md, PackageResources.streams_md,
    PackageResources.expressions_md, PackageResources.tests_md, PackageResources.examples_md,
    PackageResources.config_md, PackageResources.state_md, PackageResources.recordings_md,
    PackageResources.budgets_md, PackageResources.check_md, PackageResources.errors_md,
  ].map(Topic.init)

  /// The topic of a file, which begins with `## name` and, in asterisks, the summary.
  private init(_ file: [UInt8]) {
    let parts = file.split(separator: 0x0a, maxSplits: 3, omittingEmptySubsequences: false)
    name = parts.first.map { String(decoding: $0.dropFirst(3), as: UTF8.self) } ?? ""
    summary = parts.count > 2 ? String(decoding: parts[2].dropFirst().dropLast(), as: UTF8.self) : ""
    text = parts.count > 3 ? parts[3] : []
  }

  public static func named(_ name: String) -> Topic? { all.first { $0.name == name } }

  /// A part of a topic's page.
  enum Part: Sendable {
    case heading(String)
    /// Paragraphs, separated by empty lines.
    case text(String)
    /// Rows of cells: the first is a name, the last its meaning.
    case table(columns: [String], rows: [[String]])
    /// An example. `info` is the info string of the fence in Markdown, by which a test knows how to run it.
    case code(info: String, text: String)
  }
}

// MARK: - Reading

extension Topic {
  /// The parts of the page: headings, paragraphs, tables, fenced examples, and what lines like `{{sources}}` stand for.
  func parts(_ catalog: Catalog) -> [Part] {
    var parts: [Part] = []
    var rest = String(decoding: text, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: false)[...]
    while let line = rest.first {
      if line.isEmpty {
        rest.removeFirst()
      } else if line.hasPrefix("### ") {
        parts.append(.heading(String(line.dropFirst(4))))
        rest.removeFirst()
      } else if line.hasPrefix("```") {
        let code = rest.dropFirst().prefix { $0 != "```" }
        parts.append(.code(info: String(line.dropFirst(3)), text: code.joined(separator: "\n")))
        rest = rest.dropFirst(code.count + 2)
      } else if line.hasPrefix("| ") {
        let rows = rest.prefix { $0.hasPrefix("| ") }.map(Self.cells)
        parts.append(.table(columns: rows.first ?? [], rows: Array(rows.dropFirst(2))))
        rest = rest.dropFirst(rows.count)
      } else if let generated = Self.generated[String(line)] {
        parts += generated(catalog)
        rest.removeFirst()
      } else {
        let text = rest.prefix { line in
          !["### ", "```", "| "].contains { line.hasPrefix($0) } && Self.generated[String(line)] == nil
        }
        parts.append(.text(Self.paragraphs(text, catalog)))
        rest = rest.dropFirst(text.count)
      }
    }
    return parts
  }

  /// The cells of a table's row; a bar in one has a backslash before it.
  private static func cells(_ row: Substring) -> [String] {
    let bar = "\u{0}"
    return String(row.dropFirst(2).dropLast(2)).replacing("\\|", by: bar).split(separator: "|").map {
      $0.split(separator: " ").joined(separator: " ").replacing(bar, by: "|")
    }
  }

  /// Paragraphs as one line each, as the points of a list are.
  private static func paragraphs(_ lines: ArraySlice<Substring>, _ catalog: Catalog) -> String {
    var text = ""
    for line in lines {
      if line.isEmpty {
        text += "\n\n"
      } else if text.isEmpty || text.hasSuffix("\n") {
        text += line
      } else if line.hasPrefix("- ") {
        text += "\n\(line)"
      } else {
        text += " \(line.drop { $0 == " " })"
      }
    }
    while text.hasSuffix("\n") { text.removeLast() }
    let sources = catalog.sources.filter { $0.options.contains { !$0.variants.isEmpty } }
    return text.replacing(
      "{{sources of text}}", by: sources.map { "`\($0.kind)`" }.joined(separator: ", "))
  }
}

// MARK: - Declarations

extension Topic {
  /// The parts that come from declarations, by the line that stands for them.
  private static let generated: [String: @Sendable (Catalog) -> [Part]] = [
    "{{sources}}": { [nodes($0.sources)] },
    "{{steps}}": { [nodes($0.steps)] },
    "{{sinks}}": { [nodes($0.sinks)] },
    "{{options beside a source}}": { _ in [options(SourceOptions.all)] },
    "{{options beside a step}}": { _ in [options(StepOptions.all)] },
    "{{options within a sink}}": { _ in [options(SinkOptions.within)] },
    "{{options beside a sink}}": { _ in [options(SinkOptions.beside)] },
    "{{options of epoch}}": { _ in [options(EpochOptions.all)] },
    "{{formats}}": { catalog in
      (catalog.sources.flatMap(\.options).first { !$0.variants.isEmpty }?.variants ?? []).flatMap(format)
    },
    "{{keys of a pipeline}}": { [members(of: PipelineSchema.make($0))] },
    "{{keys of a test}}": { [members(of: definition("test", $0))] },
    "{{keys of given}}": { [members(of: definition("given", $0))] },
    "{{keys of expected}}": { [members(of: definition("expected", $0))] },
    "{{members of $meta}}": { _ in
      [
        .table(
          columns: ["member", "value"], rows: ExpressionScope.metaMembers.map { ["`\($0.name)`", $0.doc] })
      ]
    },
    "{{functions}}": { _ in
      [
        .table(
          columns: ["function", "result"], rows: ExpressionScope.functions.map { ["`\($0.call)`", $0.doc] })
      ]
    },
  ]

  private static func options(_ options: [AnyOption]) -> Part {
    .table(
      columns: ["option", "type", "default", "meaning"],
      rows: options.map {
        [
          "`\($0.name)`", $0.typeName, $0.isRequired ? "required" : $0.fallback.map { "`\($0)`" } ?? "",
          $0.doc,
        ]
      })
  }

  private static func nodes(_ specs: [NodeSpec]) -> Part {
    .table(columns: ["kind", "what it does"], rows: specs.map { ["`\($0.kind)`", $0.summary] })
  }

  /// A format of `decode`, with its options and examples.
  private static func format(_ variant: Variant) -> [Part] {
    var parts: [Part] = [.heading("decode: \(variant.name)"), .text("\(variant.summary).")]
    if !variant.details.isEmpty { parts.append(.text(variant.details)) }
    if !variant.options.isEmpty { parts.append(options(variant.options)) }
    for example in variant.examples {
      parts.append(.text("Example: \(example.title), `decode: \(example.yaml)`"))
      parts.append(.code(info: "text no-test", text: "\(example.input)\n→\n\(example.output)"))
    }
    return parts
  }

  /// The members of an object that a JSON Schema describes, in the order of the schema.
  private static func members(of schema: JSON.Value) -> Part {
    var rows: [[String]] = []
    schema.member("properties")?.forEachMember { name, value in
      rows.append(["`\(name.string ?? "")`", value.member("description")?.string ?? ""])
    }
    return .table(columns: ["key", "meaning"], rows: rows)
  }

  private static func definition(_ name: String, _ catalog: Catalog) -> JSON.Value {
    PipelineSchema.make(catalog).member("definitions")?.member(name) ?? .emptyObject
  }
}
