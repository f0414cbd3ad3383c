import JSON
import Language
import System

/// The encoding of a text, as the options of a format name it.
enum Charset {
  static let option = Option.optional(
    "charset", .charset,
    "the encoding of the text, as iconv names it, whatever a server says; a byte order mark counts more",
    example: "windows-1252")
}

extension Decoding {
  /// The encoding that the pipeline names; nil where the text is UTF-8, or what it or a server says.
  package var chosenCharset: String? {
    format.variant.options.contains { $0.name == Charset.option.name } ? options?[Charset.option] : nil
  }
}

extension Decoding {
  /// Whether a byte order mark of UTF-16 counts where no encoding is named; readers of markup look for it themselves.
  var heedsMark: Bool { ![.html, .xml, .feed].contains(format) }
}

extension OptionType where Value == String {
  /// The name of an encoding of texts.
  fileprivate static var charset: OptionType {
    OptionType("encoding", sample: "windows-1252", schema: .record([("type", "string")])) { node, checker in
      guard let scalar = checker.resolved(node).scalar, !scalar.text.isEmpty else {
        checker.report("the name of an encoding is expected here, not \(node.kind)", at: node.place)
        return nil
      }
      if TextConverter.isKnown(scalar.text) { return scalar.text }
      checker.report(
        "there is no encoding \(quoted(scalar.text))", at: scalar.place,
        hint: suggestion(for: scalar.text, among: TextConverter.usualNames)
          ?? "iconv -l lists all; usual ones are windows-1252, iso-8859-2 and shift_jis")
      return nil
    }
  }
}
