import JSON

extension NodeSpec {
  /// All that is declared of it, for other programs.
  public var json: JSON.Value {
    .record([
      ("role", .string(roleName)), ("kind", .string(kind)), ("summary", .string(summary)),
      ("details", .string(details)), ("state", state.map { .string($0) } ?? .null),
      ("shorthand", shorthand.map { .string($0) } ?? .null),
      ("options", .array(innerOptions.map(\.json))), ("beside", .array(besideOptions.map(\.json))),
      (
        "examples",
        .array(
          examples.map {
            .record([
              ("title", .string($0.title)), ("yaml", .string($0.yaml)), ("input", .string($0.input)),
              ("other", .string($0.other)), ("web", .string($0.web)),
              ("output", .string($0.output)),
            ])
          })
      ),
    ])
  }
}

extension AnyOption {
  fileprivate var json: JSON.Value {
    .record([
      ("name", .string(name)), ("type", .string(typeName)), ("required", .bool(isRequired)),
      ("default", fallback.map { .string($0) } ?? .null), ("sample", .string(sample)), ("doc", .string(doc)),
    ])
  }
}
