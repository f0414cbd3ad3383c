import System
import JSON

/// A path with expressions in it, as in `out/\(.provider).jsonl`; what they give is kept apart from the path itself.
public final class PathTemplate: Sendable {
  /// The path, when there are no expressions in it.
  public let constant: String?
  /// The folder of all its files, as far as it does not depend on data; empty for the working directory.
  package let folder: String
  /// Gives a list: parts of the path and outputs of expressions in turn, the path first.
  public let parts: Expression

  init(_ scalar: Scalar, parts: Expression) {
    constant = scalar.hasNoExpressions ? scalar.text : nil
    let opening = constant ?? String(scalar.asTemplate.text.prefix { $0 != "\\" })
    folder = opening.lastIndex(of: "/").map { String(opening[..<$0]) } ?? ""
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
        checker.report("the path is empty", at: scalar.place)
        return nil
      }
      if scalar.hasNoExpressions {
        checker.claim(
          "file \(normalized(scalar.text))", at: scalar.place, "another sink writes \(quoted(scalar.text))",
          hint: "give each sink a file of its own, or have one sink read both streams: from: [a, b]")
      }
      checker.warnOfPlaceholder(in: scalar, doubled: false, "the file name contains")
      // As a text first, so that errors are reported at their places.
      guard OptionType<Template>.template.decode(node, checker) != nil else { return nil }
      let code = scalar.asTemplate
      return checker.compile(scalar, TemplateText(code.text).partsProgram, in: code)
        .map { PathTemplate(scalar, parts: $0) }
    }
  }
}

/// An address with expressions in it, as in `https://example.org/hooks/\(.id)`; what they give is kept apart from the
/// address itself, so that it can be made a part of the path or the query and nothing else.
public final class AddressTemplate: Sendable {
  /// The address, when there are no expressions in it.
  public let constant: String?
  /// How it begins, whatever the data.
  public let opening: String
  /// Gives a list: the texts before, between and behind the expressions.
  public let texts: Expression
  /// Gives a list: what the expressions give, as texts.
  public let data: Expression
  /// Gives a list: what the expressions give, as it is.
  public let values: Expression
  /// The values of the environment in it, which nothing may show.
  public let secrets: [String]

  init(_ scalar: Scalar, texts: Expression, data: Expression, values: Expression) {
    constant = scalar.hasNoExpressions ? scalar.text : nil
    opening = constant ?? String(scalar.asTemplate.text.prefix { $0 != "\\" })
    self.texts = texts
    self.data = data
    self.values = values
    secrets = scalar.secrets
  }

  /// Whether data can have no part in the choice of the host.
  public var hasFixedHost: Bool { constant != nil || AddressTemplate.end(of: opening) != nil }

  /// The part behind the host; nil where the host may continue.
  private static func end(of opening: String) -> String? {
    guard let start = opening.place(of: "://")?.upperBound else { return nil }
    return opening[start...].firstIndex { "/?#".contains($0) }.map { String(opening[$0...]) }
  }
}

extension OptionType where Value == AddressTemplate {
  /// An address of the web, named by a template.
  public static var addressTemplate: OptionType { addressTemplate(with: []) }

  /// - Parameter ofEvent: Whether its expressions are given the event that the node is given.
  public static func addressTemplate(with variables: [String], ofEvent: Bool = true) -> OptionType {
    OptionType(
      "address template", sample: "https://example.org/hook", schema: .record([("type", "string")])
    ) { node, checker in
      // As a text first, so that errors are reported at their places.
      guard let scalar = checker.scalar(node, "an address"),
        OptionType<Template>.template(with: variables, ofEvent: ofEvent).decode(node, checker) != nil
      else { return nil }
      let code = scalar.asTemplate
      let text = TemplateText(code.text)
      guard let texts = checker.compile(scalar, text.textsProgram, in: code),
        let data = checker.compile(scalar, text.outputsProgram, variables, in: code),
        let values = checker.compile(scalar, text.valuesProgram, variables, in: code)
      else { return nil }
      return AddressTemplate(scalar, texts: texts, data: data, values: values)
    }
  }
}

/// A text that may have been written before it could be a template: whether it is one depends on other options.
public struct PossibleTemplate: Sendable {
  /// The text as it is.
  public let text: String
  /// Nil where it has no expressions, or wrong ones.
  public let template: Template?
  fileprivate let problems: Problems

  /// Whether it has what would be an expression in a template.
  public var hasExpressions: Bool { text.has("\\(") }

  /// Reports what is wrong with it as a template.
  public func check(_ checker: Checker) { checker.problems.add(problems) }
}

extension OptionType where Value == PossibleTemplate {
  /// A text that other options make a template.
  public static func possibleTemplate(with variables: [String]) -> OptionType {
    OptionType("template", sample: #"'\(.name)'"#, schema: OptionType<Template>.template.schema) {
      node, checker in
      guard let scalar = checker.scalar(node, "a text") else { return nil }
      guard scalar.text.has("\\(") else {
        return Value(text: scalar.text, template: nil, problems: Problems())
      }
      let before = checker.problems
      checker.problems = Problems()
      let template = OptionType<Template>.template(with: variables, ofEvent: false).decode(node, checker)
      defer { checker.problems = before }
      return Value(text: scalar.text, template: template, problems: checker.problems)
    }
  }
}

extension OptionType where Value == Template {
  /// A text that is a template where it has `\(`; elsewhere a backslash is a backslash.
  public static func textTemplate(with variables: [String]) -> OptionType {
    let template = OptionType.template(with: variables, ofEvent: false)
    return OptionType(template.name, sample: template.sample, schema: template.schema) { node, checker in
      guard let scalar = checker.scalar(node, "a text") else { return nil }
      if scalar.asTemplate.text.has("\\(") { return template.decode(node, checker) }
      let text = scalar.text
      return checker.compile(nil, JSON.Value.string(text).description, []) { _ in scalar.place }
        .map { Template($0, constant: text) }
    }
  }
}

extension OptionType where Value == Expression {
  /// A JSON value, each text in it a template where it has `\(`.
  public static func valueTemplate(with variables: [String]) -> OptionType {
    OptionType("value", sample: "{}", schema: .emptyObject) { node, checker in
      guard let program = checker.program(ofValue: node, variables) else { return nil }
      let place = node.place
      return checker.compile(nil, program, variables) { _ in place }
    }
  }
}

extension Checker {
  /// The program that gives a value with templates in it; nil, and problems, where one of them is wrong.
  fileprivate func program(ofValue node: YAMLNode, _ variables: [String]) -> String? {
    switch resolved(node) {
    case .sequence(let sequence):
      let elements = sequence.elements.map { program(ofValue: $0, variables) }
      let programs = elements.compactMap(\.self)
      return programs.count == elements.count ? "[\(programs.joined(separator: ","))]" : nil
    case .mapping(let mapping):
      let members = mapping.entries.map { entry in
        program(ofValue: entry.value, variables).map { "\(JSON.Value.string(entry.key.text)):(\($0))" }
      }
      let programs = members.compactMap(\.self)
      return programs.count == members.count ? "{\(programs.joined(separator: ","))}" : nil
    case .scalar(let scalar):
      guard case .string = scalar.value.kind, scalar.asTemplate.text.has("\\(") else {
        return scalar.value.description
      }
      let template = OptionType<Template>.template(with: variables, ofEvent: false)
      return template.decode(.scalar(scalar), self).map { _ in TemplateText(scalar.asTemplate.text).program }
    }
  }

  /// Compiles parts of a template; `code` is the template with values of the environment in it.
  fileprivate func compile(
    _ scalar: Scalar, _ list: TemplateList, _ variables: [String] = [], in code: Scalar
  ) -> Expression? {
    compile(scalar, list.program, variables) { range in
      list.original(range).map { code.place(of: $0) } ?? scalar.place
    }
  }
}
