import JSON
import Language

extension TextFormat {
  /// Text: each line, or the whole.
  package static let text: TextFormat = .init(
    Variant(
      "text", "plain text: each line is a value, or the whole text is one",
      details: """
        A line that is not UTF-8 is an error, unless `charset`, a byte order mark or, over http, Content-Type names \
        another encoding. Lines end with a line feed or CR LF, which are not part of them.
        """,
      options: AnyOption.list(TextOptions.whole, Charset.option),
      examples: [
        .init("lines", "text", input: "one\ntwo", output: "\"one\"\n\"two\""),
        .init(
          "in another encoding", "{ text: { charset: iso-8859-2 } }", input: "one", output: "\"one\""),
        .init("the whole text", "{ text: { whole: true } }", input: "one\ntwo", output: "\"one\\ntwo\""),
      ]),
    isByLine: true, refusesPages: false
  ) { input in
    if input.options.map({ $0[TextOptions.whole] }) ?? false {
      return WholeText(input, .text) { text in [.string(text)] }
    }
    return EachLine(input, .text) { line, values in values.append(.string(line)) }
  }
}

private enum TextOptions {
  static let whole = Option(
    "whole", .boolean, default: "false", "whether the whole text is one value; such a text cannot be followed"
  )
}

extension Decoding {
  /// How it is decoded only once it is complete; nil where its parts are decoded as they come.
  package var wholeText: String? {
    if format == .text { return options.map { $0[TextOptions.whole] } == true ? "as a whole" : nil }
    return format.isWhole ? "as \(format.name)" : nil
  }

  /// Why the text of a growing file cannot be decoded so; nil if it can.
  package var followFlaw: String? {
    if let wholeText { return "a followed file is read line by line, not \(wholeText)" }
    if chosenCharset != nil { return "a followed file is read as UTF-8, without charset" }
    return format == .json || format.isByLine
      ? nil : "a followed file is read line by line, not as \(format.name)"
  }
}
