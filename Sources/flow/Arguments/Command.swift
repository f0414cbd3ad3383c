import Engine
import Language

/// One command of `flow`: its line in `flow --help`, and how it runs.
struct Command: Sendable {
  let name: String
  let usage: String
  let summary: String
  /// Its declared options and operands, if it has a manual.
  var manual: Manual?
  /// Runs with the arguments after the command's name; returns the exit status.
  let run: @Sendable ([String]) -> Int32

  init(name: String, usage: String, summary: String, run: @escaping @Sendable ([String]) -> Int32) {
    (self.name, self.usage, self.summary, self.run) = (name, usage, summary, run)
  }

  /// A command whose arguments are parsed, and whose help is written, from its manual.
  init(_ manual: Manual, run: @escaping @Sendable (Arguments) throws(WrongUse) -> Int32) {
    self.init(name: manual.name, usage: manual.usage, summary: manual.summary) { given in
      do throws(WrongUse) {
        let arguments = try Arguments(given, of: manual)
        if !arguments.wantsHelp { return try run(arguments) }
        Terminal.say(manual.help)
        return ExitStatus.done
      } catch {
        Terminal.complain(
          "flow \(manual.name): \(error.message)\nSee flow help \(manual.name).\n")
        return ExitStatus.usage
      }
    }
    self.manual = manual
  }

  /// A command with subcommands, the first argument being the name of one.
  init(_ manual: Manual, parts: [Command]) {
    var manual = manual
    manual.parts = parts.compactMap(\.manual)
    let known = manual
    self.init(name: manual.name, usage: manual.usage, summary: manual.summary) { given in
      let word = given.first
      if let part = parts.first(where: { $0.manual?.word == word && word != nil }) {
        return part.run(Array(given.dropFirst()))
      }
      if word == "-h" || word == "--help" {
        Terminal.say(known.help)
        return ExitStatus.done
      }
      let words = known.parts.map(\.word)
      let problem =
        word.map {
          "unknown command \(quoted("flow \(known.name) \($0)")); \(suggestion(for: $0, among: words) ?? "")"
        }
        ?? "a subcommand is missing: \(alternatives(words))"
      Terminal.complain("flow \(known.name): \(problem)\nSee flow help \(known.name).\n")
      return ExitStatus.usage
    }
    self.manual = manual
  }
}

/// The exit statuses of flow.
enum ExitStatus {
  static let done: Int32 = 0
  /// `-e`: the last output was false or null.
  static let falseOrNull: Int32 = 1
  /// Failed at run time.
  static let failed: Int32 = 1
  /// Wrong usage, or a file that cannot be read or written.
  static let usage: Int32 = 2
  /// The program has a syntax error.
  static let compile: Int32 = 3
  /// `-e`: there was no output.
  static let noOutput: Int32 = 4
  /// A run-time error of the program, or input that is not JSON.
  static let runtime: Int32 = 5
  /// Interrupted from the keyboard.
  static let interrupted: Int32 = 130
}
