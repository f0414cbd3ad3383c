import System

/// The page of a node: a file of Markdown in the folder `Reference` of its module, with paragraphs, and examples that
/// run as tests in one block.
///
///     # at its limit
///     take: 1
///     < 0s "a"
///     < 1s "b"
///     > 0s "a"
///
/// An example has a title, the node, what comes in (`<`), from `other` (`other <`) and from the network (`web <`), and
/// what comes out (`>`). Every command makes all specifications, so a file is read only where it is shown.
public struct NodeReference: Sendable {
  private let file: [UInt8]
  /// Texts of several nodes, by the name that stands for them, as in `{{each}}`.
  private let shared: @Sendable () -> [String: String]

  public init(
    _ file: [UInt8] = [], sharing shared: @autoclosure @escaping @Sendable () -> [String: String] = [:]
  ) {
    self.file = file
    self.shared = shared
  }

  /// The beginning of the block of examples.
  private var block: Int {
    file.indices.first { file[$0] == UInt8(ascii: "`") && file[$0...].starts(with: "```examples\n".utf8) }
      ?? file.count
  }

  var details: String {
    let texts = ReferenceFile.parts(of: file[..<block]).compactMap {
      if case .text(let text) = $0 { text } else { nil }
    }
    return shared().reduce(texts.joined(separator: "\n\n")) { $0.replacing("{{\($1.key)}}", by: $1.value) }
  }

  var examples: [Example] {
    var examples: [Example] = []
    func add(_ line: Substring, _ mark: String, to text: inout String) -> Bool {
      guard line.hasPrefix(mark) else { return false }
      text += (text.isEmpty ? "" : "\n") + line.dropFirst(mark.count)
      return true
    }
    for case .code(_, let lines) in ReferenceFile.parts(of: file[block...]) {
      for line in lines.split(separator: "\n") {
        if line.hasPrefix("# ") { examples.append(Example(title: String(line.dropFirst(2)))) }
        guard var example = examples.popLast() else { continue }
        _ =
          line.hasPrefix("# ") || add(line, "< ", to: &example.input) || add(line, "> ", to: &example.output)
          || add(line, "other < ", to: &example.other) || add(line, "web < ", to: &example.web)
          || add(line, "", to: &example.yaml)
        examples.append(example)
      }
    }
    return examples
  }

  /// An example that `flow docs` shows and a test runs.
  ///
  /// For a step, `input` and `output` are lines of a time and a value, `10s {"id": 1}`. `10s poll` ends a poll with
  /// the events since the one before, `10s failure` is a poll that fails, `10s end` ends the source.
  public struct Example: Sendable {
    public let title: String
    /// The node, as in a pipeline: `filter: .n > 1`.
    public internal(set) var yaml = ""
    public internal(set) var input = ""
    public internal(set) var output = ""
    /// The same as `input` for the source `other`, which a step reads besides its own.
    public internal(set) var other = ""
    /// The answers of the network, lines of an address and a value.
    public internal(set) var web = ""
  }
}
