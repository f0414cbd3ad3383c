import Engine
import Language

/// What a command takes and does, declared once: its arguments are read by it, its help is written from it.
///
///     static let manual = Manual(
///       "graph", "show how a pipeline is wired", operands: .one("FILE"), options: [format],
///       examples: [("flow graph --format svg a.yaml > a.svg", "as a drawing")])
struct Manual: Sendable {
  let name: String
  /// A few words, as the list of commands has them.
  let summary: String
  let operands: Operands
  let options: [CommandOption]
  /// What there is to know beyond the summary; the help wraps it.
  let about: String
  /// Commands that work as they stand, and what they are for.
  let examples: [(command: String, what: String)]
  /// What there is of a command that is several, each called `state ls` and the like.
  var parts: [Manual] = []

  init(
    _ name: String, _ summary: String, operands: Operands = .none, options: [CommandOption] = [],
    about: String = "",
    examples: [(command: String, what: String)] = []
  ) {
    self.name = name
    self.summary = summary
    self.operands = operands
    self.options = options
    self.about = about
    self.examples = examples
  }

  /// The arguments that are no options: what they are called, and how many there may be.
  struct Operands: Sendable {
    /// What there is one of each in front of the others.
    var leading: [String] = []
    let name: String
    let counts: ClosedRange<Int>
    /// The words it may be, for the shells; nil for files.
    var words: [String]?

    static let none = Operands(name: "", counts: 0...0)
    static func one(_ name: String) -> Operands { Operands(name: name, counts: 1...1) }
    static func one(_ name: String, of words: [String]) -> Operands {
      Operands(name: name, counts: 1...1, words: words)
    }
    static func optional(_ name: String, of words: [String]) -> Operands {
      Operands(name: name, counts: 0...1, words: words)
    }
    static func any(_ name: String) -> Operands { Operands(name: name, counts: 0...Int.max) }
    static func some(_ name: String) -> Operands { Operands(name: name, counts: 1...Int.max) }

    /// The same behind one of another name, as in `PIPELINE [NODE…]`.
    func after(_ name: String) -> Operands {
      var operands = self
      operands.leading.insert(name, at: 0)
      return operands
    }

    var usage: String {
      let first = leading.map { " \($0)" }.joined()
      guard counts.upperBound > 0 else { return first }
      let whole = counts.upperBound > 1 ? "\(name)…" : name
      return first + (counts.lowerBound == 0 ? " [\(whole)]" : " \(whole)")
    }

    func check(_ all: [String]) throws(WrongUse) {
      if all.count < leading.count { throw WrongUse("there is no \(leading[all.count])") }
      let given = Array(all.dropFirst(leading.count))
      if given.count < counts.lowerBound {
        throw WrongUse(given.isEmpty ? "there is no \(name)" : "it takes \(counts.lowerBound) \(name)s")
      }
      if given.count > counts.upperBound {
        let first = quoted(given[counts.upperBound])
        throw WrongUse(
          counts.upperBound == 0
            ? "it takes no arguments, yet there is \(first)"
            : "\(first) is one \(name) more than it takes")
      }
    }
  }

  /// The declared options and those of every command; of several parts, those that any of them has.
  var allOptions: [CommandOption] {
    var all = options
    for option in parts.flatMap(\.allOptions) where option.name != CommandOption.help.name {
      if !all.contains(where: { $0.name == option.name }) { all.append(option) }
    }
    return all + [.help]
  }

  /// As in `tail [FILE…]`, or `state ls|show`.
  var usage: String {
    parts.isEmpty ? name + operands.usage : "\(name) \(parts.map(\.word).joined(separator: "|"))"
  }

  /// What it is called by among the parts of a command.
  var word: String { name.split(separator: " ").last.map(String.init) ?? name }
}
