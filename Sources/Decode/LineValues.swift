import JSON
import Language
import System

extension TextFormat {
  /// One value, or several, on each line.
  package static let lines: TextFormat = .init(
    Variant(
      "lines", "JSON values, one or several on each line", options: AnyOption.list(Charset.option),
      examples: [
        .init("a log", "lines", input: "{\"n\":1}\n{\"n\":2} 3", output: "{\"n\":1}\n{\"n\":2}\n3"),
        .init(
          "in another encoding", "{ lines: { charset: windows-1252 } }", input: "{\"n\":1}",
          output: "{\"n\":1}"),
      ]),
    isByLine: true
  ) { EachLine.json($0) }
}

extension EachLine {
  /// The decoder of lines of JSON values.
  static func json(_ input: DecoderInput) -> EachLine {
    EachLine(input, .lines, parser: ChunkParser(size: input.limits.chunk)) { line, values throws(TextFlaw) in
      do throws(ParseError) {
        values.append(contentsOf: try Value.parseAll([UInt8](line)))
      } catch {
        throw TextFlaw(error.reason)
      }
    }
  }
}
