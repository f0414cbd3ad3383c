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
    PackageResources.install_md,
  ].map(Topic.init)

  /// The topic of a file, which begins with `## name` and, in asterisks, the summary.
  private init(_ file: [UInt8]) {
    let parts = file.split(separator: 0x0a, maxSplits: 3, omittingEmptySubsequences: false)
    name = parts.first.map { String(decoding: $0.dropFirst(3), as: UTF8.self) } ?? ""
    summary = parts.count > 2 ? String(decoding: parts[2].dropFirst().dropLast(), as: UTF8.self) : ""
    text = parts.count > 3 ? parts[3] : []
  }

  public static func named(_ name: String) -> Topic? { all.first { $0.name == name } }

  typealias Part = ReferenceFile.Part
}

// MARK: - Reading

extension Topic {
  /// The parts of the page: headings, paragraphs, tables, fenced examples, and what lines like `{{sources}}` stand for.
  func parts(_ catalog: Catalog) -> [Part] {
    let sources = catalog.sources.filter { $0.options.contains { !$0.variants.isEmpty } }
    let kinds = sources.map { "`\($0.kind)`" }.joined(separator: ", ")
    return ReferenceFile.parts(of: text) { Self.generated[$0]?(catalog) }.map { part in
      guard case .text(let text) = part else { return part }
      return .text(text.replacing("{{sources of text}}", by: kinds))
    }
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
    "{{functions of jq}}": { _ in
      let own = ExpressionScope.functions.map { $0.call.prefix { $0 != "(" } }
      let names = Program.functions.filter { !own.contains($0[...]) }
      return [
        .code(
          info: "text no-test", text: wrapped(names.joined(separator: " "), to: 76).joined(separator: "\n"))
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
