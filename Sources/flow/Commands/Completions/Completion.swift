import Language

/// The words that the last word of a command line may become: `flow state de` may go on with `dead`.
///
///     Completion(["state", "de"]).lines  // ["dead\tlist, retry or drop what was given up"]
struct Completion {
  /// The command by which scripts ask for the words.
  static let command = "__complete"

  /// A word and its summary behind a tab for each; `\tfiles` where the shell offers its files too, and `\tlist` where a
  /// comma and another word may follow.
  private(set) var lines: [String] = []
  private let current: String

  /// The words behind the name of the program.
  init(_ words: [String]) {
    // A shell may take the sign between an option and its value for a word.
    var before = words.dropLast().filter { $0 != "=" }
    var current = words.last == "=" ? "" : words.last ?? ""
    // Others leave the two in one.
    var start = ""
    if current.hasPrefix("--"), let sign = current.firstIndex(of: "=") {
      before.append(String(current[..<sign]))
      start = String(current[...sign])
      current = String(current[current.index(after: sign)...])
    }
    self.current = current
    complete(before[...])
    if !start.isEmpty { lines = lines.map { $0.hasPrefix("\t") ? $0 : start + $0 } }
  }

  private mutating func complete(_ words: ArraySlice<String>) {
    guard let first = words.first else {
      return offer(Command.all.map { ($0.name, $0.summary) })
    }
    guard var manual = Command.all.first(where: { $0.name == first })?.manual else { return }
    var rest = words.dropFirst()
    while !manual.parts.isEmpty {
      guard let word = rest.popFirst() else { return offer(manual.parts.map { ($0.word, $0.summary) }) }
      guard let part = manual.parts.first(where: { $0.word == word }) else { return }
      manual = part
    }
    let options = manual.allOptions
    if let last = rest.last, let option = options.first(where: { $0.spellings.contains(last) }),
      offer(valueOf: option)
    {
      return
    }
    if current.hasPrefix("-") {
      return offer(
        options.flatMap { option in
          option.spellings.filter { $0.hasPrefix("--") }.map { ($0, option.summary) }
        })
    }
    if manual.name == HelpCommand.manual.name { return offer(Command.all.map { ($0.name, $0.summary) }) }
    if manual.operands.usage.isEmpty { return }
    if let words = manual.operands.words { return offer(words.map { ($0, "") }) }
    lines.append("\tfiles")
    offer((manual.operands.known?.all ?? []).map { ($0, "") })
  }

  /// Offers the values of an option; false where none follows it.
  private mutating func offer(valueOf option: CommandOption) -> Bool {
    switch option.form {
    case .flag, .toggle, .optional: return false
    case .pair: break
    case .value: offer((option.known?.all ?? []).map { ($0, "") })
    case .path: lines.append("\tfiles")
    case .choice(let words): offer(words.map { ($0, "") })
    case .list(_, let words):
      let before = current.lastIndex(of: ",").map { String(current[...$0]) } ?? ""
      lines.append("\tlist")
      offer(words.map { (before + $0, "") })
    }
    return true
  }

  private mutating func offer(_ words: [(word: String, summary: String)]) {
    lines += words.filter { $0.word.hasPrefix(current) }.map { "\($0.word)\t\($0.summary)" }
  }
}
