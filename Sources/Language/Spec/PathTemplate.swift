import JSON

/// A path with expressions in it, as in `out/\(.provider).jsonl`; what they give is kept apart from the path itself.
public final class PathTemplate: Sendable {
  /// The path, when there are no expressions in it.
  public let constant: String?
  /// Gives a list: parts of the path and outputs of expressions in turn, the path first.
  public let parts: Expression

  init(constant: String?, parts: Expression) {
    self.constant = constant
    self.parts = parts
  }
}

extension OptionType where Value == PathTemplate {
  /// A file that a sink writes, named by a template; two sinks on one are an error.
  public static var outputPath: OptionType {
    OptionType(
      "path template", sample: "out/events.jsonl", schema: .record([("type", "string")])
    ) { node, checker in
      guard let scalar = checker.scalar(node, "a path") else { return nil }
      if scalar.text.isEmpty || scalar.text.utf8.contains(0) {
        checker.report("this is no path", at: scalar.place)
        return nil
      }
      let isConstant = scalar.hasNoExpressions
      if isConstant { checker.filesWritten.append(scalar) }
      // As a text first, so that mistakes are found where they stand.
      guard OptionType<Template>.template.decode(node, checker) != nil else { return nil }
      let program = TemplateText(scalar.asTemplate.text).partsProgram
      return checker.compile(scalar, program, []) { _ in scalar.place }
        .map { PathTemplate(constant: isConstant ? scalar.text : nil, parts: $0) }
    }
  }
}

extension OptionType where Value == Double {
  /// A moment, in seconds since 1970: `2026-01-01T00:00:00Z` or a date.
  public static var time: OptionType {
    OptionType("time", sample: "2026-01-01T00:00:00Z", schema: .record([("type", "string")])) {
      node, checker in
      guard let scalar = checker.scalar(node, "a time") else { return nil }
      if let moment = parseTimestamp(scalar.text) { return moment }
      checker.report(
        "\(quoted(scalar.text)) is no time", at: scalar.place,
        hint: "as in 2026-01-01T00:00:00Z or 2026-01-01")
      return nil
    }
  }
}
