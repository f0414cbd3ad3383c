/// The code blocks of a document as one shell script, run in a folder of its own.
///
/// Blocks run in order and share files, state and the working directory, as they do for a reader. What a block prints
/// goes to a file of its own below `results`.
///
/// A reader takes seconds between two edits of a file that is served, and servers distinguish its versions by whole
/// seconds. The script is faster, so it gives each version a time of its own (`age`).
struct DocumentScript {
  private(set) var text = ""
  /// The transcripts to compare.
  private(set) var commands: [Command] = []

  /// One command of a transcript, and what the document shows of its output.
  struct Command {
    let line: Int
    let text: String
    let shown: [String]
    /// The file of its output.
    let result: String
  }

  init(_ blocks: [CodeBlock]) throws(CodeBlock.Untestable) {
    text = """
      set -eu
      results=$PWD/results
      trap 'kill -9 $(jobs -p) 2>/dev/null || true' EXIT
      age() { find . -name '*.json' -newermt @1750000000 -exec touch -d "@$((1700000000 + $1))" {} +; }

      """
    for block in blocks where !block.words.contains("no-test") { try add(block) }
    text += "echo done >$results/at\n"
  }

  private mutating func add(_ block: CodeBlock) throws(CodeBlock.Untestable) {
    text += "echo \(block.line) >$results/at\n"
    switch (block.language, block.words.first) {
    case ("yaml", let name?) where block.lines.first != "# \(name)":
      throw CodeBlock.Untestable(line: block.line, why: "a pipeline begins with its name: # \(name)")
    case ("yaml", let name): check(block, name)
    case ("sh", "background"?): background(block)
    case ("sh", nil):
      text += "{\n\(block.text)} >$results/\(block.line) 2>&1 </dev/null\nage \(block.line)\n"
    case ("console", nil): try transcribe(block)
    case ("json", let name?), ("jsonl", let name?), ("text", let name?), ("sh", let name?): write(block, name)
    case ("json", nil), ("jsonl", nil):
      write(block, "$results/values.json")
      text += "flow eval . $results/values.json >$results/\(block.line) 2>&1\n"
    default:
      throw CodeBlock.Untestable(
        line: block.line, why: "“\(block.language)” is not tested; see CodeBlock, or mark it no-test")
    }
  }

  private mutating func write(_ block: CodeBlock, _ name: String, _ lines: [String]? = nil) {
    let lines = (lines ?? block.lines).map { $0 + "\n" }.joined()
    if name.contains("/") { text += "mkdir -p \"$(dirname \"\(name)\")\"\n" }
    text += "cat >\"\(name)\" <<'END OF BLOCK'\n\(lines)END OF BLOCK\n"
    text += "age \(block.line)\n"
  }

  private mutating func check(_ block: CodeBlock, _ name: String?) {
    let file = name ?? "$results/part.yaml"
    write(block, file, name == nil ? block.completed : nil)
    text += "flow check \"\(file)\" >$results/\(block.line) 2>&1\n"
    if block.lines.contains("tests:") { text += "flow test \"\(file)\" >$results/\(block.line) 2>&1\n" }
  }

  /// A command that serves: what follows waits until its port answers.
  private mutating func background(_ block: CodeBlock) {
    text += "{\nexec \(block.text)} >$results/\(block.line) 2>&1 </dev/null &\n"
    guard let port = DocumentScript.ports.first(where: { block.text.contains("\($0)") }) else { return }
    text += "for i in {1..200}; do (: </dev/tcp/127.0.0.1/\(port)) 2>/dev/null && break; sleep 0.05; done\n"
  }

  private mutating func transcribe(_ block: CodeBlock) throws(CodeBlock.Untestable) {
    guard block.lines.first?.hasPrefix("$ ") == true else {
      throw CodeBlock.Untestable(line: block.line, why: "a transcript begins with “$ ” and a command")
    }
    // All commands of a block in one shell, as a reader has them. In another one than this, which may report a background
    // job that has ended.
    text += "(\n"
    for (index, line) in block.lines.enumerated() where line.hasPrefix("$ ") {
      let shown = block.lines[(index + 1)...].prefix { !$0.hasPrefix("$ ") }
      let command = Command(
        line: block.line + 1 + index, text: String(line.dropFirst(2)), shown: Array(shown),
        result: "results/\(block.line).\(index)")
      commands.append(command)
      text += "{ \(command.text)\n} >$\(command.result) 2>&1 </dev/null\n"
    }
    // A transcript may show a command that fails.
    text += ") || true\n"
  }

  /// The ports that documents use; a test replaces each by one that is free.
  static let ports = [8765, 8766, 8080]

  /// Whether lines are as shown, where `…` stands for any text within a line, and alone for any lines.
  static func matches(_ lines: ArraySlice<String>, _ shown: ArraySlice<String>) -> Bool {
    guard let first = shown.first else { return lines.isEmpty }
    if first == "…" {
      return (lines.startIndex...lines.endIndex).contains { matches(lines[$0...], shown.dropFirst()) }
    }
    guard let line = lines.first, matches(line, first) else { return false }
    return matches(lines.dropFirst(), shown.dropFirst())
  }

  private static func matches(_ line: String, _ shown: String) -> Bool {
    let parts = shown.split(separator: "…", omittingEmptySubsequences: false)
    guard let first = parts.first, let last = parts.last, line.hasPrefix(first) else { return false }
    if parts.count == 1 { return line == shown }
    var rest = line.dropFirst(first.count)
    for part in parts.dropFirst().dropLast() where !part.isEmpty {
      guard let found = rest.firstRange(of: part) else { return false }
      rest = rest[found.upperBound...]
    }
    return rest.hasSuffix(last)
  }
}

extension CodeBlock {
  /// A part of a pipeline with what it lacks: a file to read, a sink.
  ///
  /// A list is a list of steps.
  fileprivate var completed: [String] {
    var lines = lines
    if lines.contains(where: { $0.hasPrefix("- ") }) { lines = ["steps:"] + lines.map { "  " + $0 } }
    func has(_ key: String) -> Bool { lines.contains { $0.hasPrefix(key + ":") } }
    if !has("sources") { lines.append("sources: { in: { file: in.jsonl } }") }
    if !has("sinks") {
      let streams = has("streams") && !has("steps")
      lines.append(streams ? "sinks: { out: { console: , from: in } }" : "sinks: { out: console }")
    }
    return lines
  }
}
