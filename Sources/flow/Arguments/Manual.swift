import Engine
import Language

/// The manual of a command, declared once: its arguments are parsed, and its help is written, from it.
///
///     static let manual = Manual(
///       "graph", "show how a pipeline is wired", operands: .one("FILE"), options: [format],
///       examples: [("flow graph --format svg a.yaml > a.svg", "as a drawing")])
struct Manual: Sendable {
  let name: String
  /// A short summary for the list of commands.
  let summary: String
  let operands: Operands
  /// The options under their titles in the help.
  let groups: [(title: String, options: [CommandOption])]
  /// Details beyond the summary; the help wraps them, but for lines of code, which have four blanks before them.
  let about: String
  /// Examples that work as printed, with their purpose.
  let examples: [(command: String, what: String)]
  /// The subcommands, each named `state ls` and the like.
  var parts: [Manual] = []

  init(
    _ name: String, _ summary: String, operands: Operands = .none, options: [CommandOption] = [],
    groups: [(title: String, options: [CommandOption])] = [], about: String = "",
    examples: [(command: String, what: String)] = []
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.groups = groups.isEmpty ? [("Options", options)] : groups
    self.about = about
    self.examples = examples
  }

  /// The operands of a command: their name and number.
  struct Operands: Sendable {
    /// The names of single operands before the others.
    var leading: [String] = []
    /// Whether the command does without those, or asks for them itself.
    var mayLackLeading = false
    let name: String
    let counts: ClosedRange<Int>
    /// The words that shell completion offers, which the command checks itself; nil for files.
    var words: [String]?
    /// The names that are allowed besides files.
    var known: KnownNames?

    static let none = Operands(name: "", counts: 0...0)
    static func one(_ name: String, or known: KnownNames? = nil) -> Operands {
      Operands(name: name, counts: 1...1, known: known)
    }
    static func one(_ name: String, offering words: [String]) -> Operands {
      Operands(name: name, counts: 1...1, words: words)
    }
    static func optional(_ name: String, offering words: [String]? = nil) -> Operands {
      Operands(name: name, counts: 0...1, words: words)
    }
    static func any(_ name: String, or known: KnownNames? = nil) -> Operands {
      Operands(name: name, counts: 0...Int.max, known: known)
    }
    static func some(_ name: String, or known: KnownNames? = nil) -> Operands {
      Operands(name: name, counts: 1...Int.max, known: known)
    }

    /// The same operands after one of another name, as in `PIPELINE [NODE…]`.
    func after(_ name: String, mayLack: Bool = false) -> Operands {
      var operands = self
      operands.leading.insert(name, at: 0)
      operands.mayLackLeading = mayLack
      return operands
    }

    var usage: String {
      let first = leading.map { " \($0)" }.joined()
      guard counts.upperBound > 0 else { return first }
      let whole = counts.upperBound > 1 ? "\(name)…" : name
      return first + (counts.lowerBound == 0 ? " [\(whole)]" : " \(whole)")
    }

    func check(_ all: [String]) throws(WrongUse) {
      if all.count < leading.count, !mayLackLeading { throw WrongUse("\(leading[all.count]) is missing") }
      let given = Array(all.dropFirst(leading.count))
      if given.count < counts.lowerBound {
        throw WrongUse(given.isEmpty ? "\(name) is missing" : "\(counts.lowerBound) \(name)s are required")
      }
      if given.count > counts.upperBound {
        let first = quoted(given[counts.upperBound])
        throw WrongUse(
          counts.upperBound == 0
            ? "unexpected argument \(first)"
            : "unexpected argument \(first)")
      }
    }
  }

  /// The declared options; in the last group also those of all subcommands, and the common ones.
  var allGroups: [(title: String, options: [CommandOption])] {
    var all = groups
    let more = parts.flatMap(\.allOptions).filter { $0 != .help } + [.help]
    for option in more where !all.contains(where: { $0.options.contains(option) }) {
      all[all.count - 1].options.append(option)
    }
    return all
  }

  var allOptions: [CommandOption] { allGroups.flatMap(\.options) }

  /// As in `tail [FILE…]`, or `state ls|show`, or `cluster COMMAND` where there are many.
  var usage: String {
    if parts.isEmpty { return name + operands.usage }
    let words = parts.map(\.word).joined(separator: "|")
    return "\(name) \(words.count > 24 ? "COMMAND" : words)"
  }

  /// The last word of its name, which distinguishes it from other subcommands.
  var word: String { name.split(separator: " ").last.map(String.init) ?? name }
}
