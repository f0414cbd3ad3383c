import JSON

/// The JSON Schema of a pipeline's own tests.
enum TestSchema {
  static var definitions: [(String, JSON.Value)] {
    let anything = JSON.Value.emptyObject
    let time = described(
      .record([("type", .array(["string", "integer"]))]), "when, after the start: 6h, 1m30s, 0s")
    let rows = JSON.Value.record([("type", "array")])
    let given = object([
      ("at", time), ("poll", described(rows, "the whole answer to a poll")),
      ("events", described(rows, "events that come together")), ("event", described(anything, "one event")),
      ("error", described(.record([("type", "string")]), "what is wrong with a poll that fails")),
      ("end", described(anything, "the source has ended")),
    ])
    let condition = JSON.Value.record([("type", .array(["string", "boolean", "number"]))])
    let expected = object([
      ("at", time), ("where", described(condition, "an expression that holds for the event")),
      ("is", described(anything, "the event, whole")),
    ])
    func lists(_ definition: String) -> JSON.Value {
      .record([
        ("type", "object"),
        (
          "additionalProperties",
          .record([("type", .array(["array", "null"])), ("items", reference(definition))])
        ),
      ])
    }
    let test = object(
      [
        ("name", .record([("type", .array(["string", "number", "boolean"]))])),
        ("now", described(.record([("type", "string")]), "the time at the start, as 2026-01-01T00:00:00Z")),
        ("vars", described(.record([("type", "object")]), "values for some of the pipeline's vars")),
        ("given", described(lists("given"), "what each source answers")),
        ("expect", described(lists("expected"), "what each sink is given")),
        (
          "web",
          described(
            .record([("type", "object")]),
            "what lookups over HTTP are answered, by address; null where nothing is there")
        ),
      ], ["given", "expect"])
    return [("test", test), ("given", given), ("expected", expected)]
  }
}
