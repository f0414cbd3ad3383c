/// A fenced code block of a document: its info string, its lines, and where it begins.
///
/// The first word of the info string is the language. The others say how the block is tested:
///
///     ```yaml NAME        a pipeline that begins with “# NAME”: written there, checked, and its tests run
///     ```yaml             the same without a file; a part of a pipeline is completed first
///     ```jsonl NAME       a file that later blocks use; json, text and sh work alike
///     ```jsonl            values that must be JSON
///     ```sh               commands that must succeed
///     ```sh background    a command that runs until the document ends
///     ```console          commands after “$ ”, each with all of its output; … stands for any text
///     ```LANGUAGE no-test not run, for the reason that the text gives
struct CodeBlock: Sendable {
  let language: String
  let words: [String]
  let lines: [String]
  /// The line of the opening fence, from 1.
  let line: Int

  var text: String { lines.map { $0 + "\n" }.joined() }

  /// The blocks of a Markdown text.
  ///
  /// Code that is only indented would not be tested, so it is reported.
  static func all(in text: String) throws(Untestable) -> [CodeBlock] {
    var blocks: [CodeBlock] = []
    var open: (line: Int, words: [String], lines: [String])?
    var isInList = false
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if let block = open {
        if line.hasPrefix("```") {
          let language = block.words.first ?? ""
          blocks.append(
            CodeBlock(
              language: language, words: Array(block.words.dropFirst()), lines: block.lines, line: block.line)
          )
          open = nil
        } else {
          open?.lines.append(String(line))
        }
      } else if line.hasPrefix("```") {
        open = (index + 1, line.dropFirst(3).split(separator: " ").map(String.init), [])
      } else if line.hasPrefix("    "), !isInList {
        throw Untestable(line: index + 1, why: "indented code is not tested; put it between fences")
      } else if !line.isEmpty {
        isInList = line.hasPrefix("- ") || line.hasPrefix("  ") || line.first?.isNumber == true
      }
    }
    if let open { throw Untestable(line: open.line, why: "this code block has no end") }
    return blocks
  }

  struct Untestable: Error, CustomStringConvertible {
    let line: Int
    let why: String
    var description: String { "line \(line): \(why)" }
  }
}
