import Engine
import JSON
import Language

/// The noise of texts that are compared: the matches of a regular expression, and white space.
struct TextNoise {
  private let ignore: Evaluation?
  private let collapses: Bool

  static let options = AnyOption.list(NoiseOptions.ignore, NoiseOptions.collapse)

  init(_ options: Options, evaluation: (Expression) -> Evaluation) {
    ignore = options[NoiseOptions.ignore].map(evaluation)
    collapses = options[NoiseOptions.collapse]
  }

  /// Whether both sides are texts that differ in nothing else.
  func covers(_ difference: Difference, of event: Event) throws -> Bool {
    guard let before = difference.before, let after = difference.after, before.isString, after.isString else {
      return false
    }
    return try remainder(of: before, event) == remainder(of: after, event)
  }

  private func remainder(of text: Value, _ event: Event) throws -> [UInt8]? {
    let kept = try ignore?.first(event.with(text)) ?? text
    guard collapses else { return kept.textBytes }
    return kept.textBytes.map { bytes in
      Array(bytes.split { $0 == 0x20 || 0x09...0x0d ~= $0 }.joined(separator: [0x20]))
    }
  }
}

private enum NoiseOptions {
  static let ignore = Option.optional(
    "ignore", .removal, "matches of this regular expression are left out", example: "'[0-9]+ views'")
  static let collapse = Option(
    "collapse", .boolean, default: "false",
    "whether any white space counts as one space, and at the beginning and the end as none")
}

extension OptionType where Value == Expression {
  /// A regular expression, as an expression that removes its matches from a text.
  fileprivate static var removal: OptionType {
    OptionType("regular expression", sample: "'[0-9]+'", schema: .record([("type", "string")])) {
      node, checker in
      guard let scalar = checker.resolved(node).scalar, !scalar.text.isEmpty else {
        checker.report("a regular expression is expected here, not \(node.kind)", at: node.place)
        return nil
      }
      do {
        let removal = try Expression("gsub(\(JSON.Value.string(scalar.text)); \"\")")
        _ = try removal.program.outputs("")
        return removal
      } catch {
        checker.report(
          "this is no regular expression: \(error)", at: scalar.place,
          hint: "it is written as for jq's test; [0-9]+ matches a number")
        return nil
      }
    }
  }
}
