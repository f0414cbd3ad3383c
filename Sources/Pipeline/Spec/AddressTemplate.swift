import JSON

/// An address with expressions in it, as in `https://example.org/launches/\(.id)`; what they give is kept apart from
/// the address itself.
public final class AddressTemplate: Sendable {
  /// The text before the first expression, the host in it.
  public let beginning: String
  /// Gives a list: parts of the address and outputs of expressions in turn, the address first.
  public let parts: Expression

  init(beginning: String, parts: Expression) {
    self.beginning = beginning
    self.parts = parts
  }
}

extension OptionType where Value == AddressTemplate {
  /// Where a request goes; data may stand in the path and in the query, and nowhere before.
  public static var address: OptionType {
    OptionType(
      "address template", sample: "https://example.org/items", schema: .record([("type", "string")])
    ) { node, checker in
      guard let scalar = checker.scalar(node, "an address") else { return nil }
      // As a text first, so that mistakes are found where they stand.
      guard OptionType<Template>.template.decode(node, checker) != nil else { return nil }
      let beginning = String(scalar.text.prefix { $0 != "\\" })
      if beginning != scalar.text, !hasWholeHost(beginning) {
        checker.report(
          "the host of an address cannot be made of data", at: scalar.place,
          hint: "write it whole, up to the first slash behind it: https://example.org/…")
        return nil
      }
      let program = TemplateText(scalar.text).partsProgram(asTexts: false)
      return checker.compile(scalar, program, []) { _ in scalar.place }
        .map { AddressTemplate(beginning: beginning, parts: $0) }
    }
  }

  private static func hasWholeHost(_ text: String) -> Bool {
    guard let start = text.firstRange(of: "://")?.upperBound else { return false }
    return text[start...].contains { "/?".contains($0) }
  }
}
