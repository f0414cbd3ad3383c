import JSON

/// A topic of the reference, as `flow docs pipeline` prints it: prose, with tables from the declarations of options and
/// examples that run as tests.
public struct Topic: Sendable {
  public let name: String
  /// One line, as `flow docs` lists it.
  public let summary: String
  let parts: @Sendable (Catalog) -> [Part]

  init(_ name: String, _ summary: String, parts: @escaping @Sendable (Catalog) -> [Part]) {
    self.name = name
    self.summary = summary
    self.parts = parts
  }

  public static let all: [Topic] = [
    pipeline, sources, decoders, steps, sinks, streams, expressions, tests, examples, config, state,
    recordings,
    budgets, check, errors,
  ]

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

extension Topic.Part {
  static func options(_ options: [AnyOption]) -> Topic.Part {
    .table(
      columns: ["option", "type", "default", "meaning"],
      rows: options.map {
        [
          "`\($0.name)`", $0.typeName, $0.isRequired ? "required" : $0.fallback.map { "`\($0)`" } ?? "",
          $0.doc,
        ]
      })
  }

  static func nodes(_ specs: [NodeSpec]) -> Topic.Part {
    .table(columns: ["kind", "what it does"], rows: specs.map { ["`\($0.kind)`", $0.summary] })
  }

  /// The members of an object that a JSON Schema describes, in the order of the schema.
  static func members(_ column: String, of schema: JSON.Value) -> Topic.Part {
    var rows: [[String]] = []
    schema.member("properties")?.forEachMember { name, value in
      rows.append(["`\(name.string ?? "")`", value.member("description")?.string ?? ""])
    }
    return .table(columns: [column, "meaning"], rows: rows)
  }

  static func yaml(_ text: String) -> Topic.Part { .code(info: "yaml", text: text) }
  static func console(_ text: String) -> Topic.Part { .code(info: "console", text: text) }
}
