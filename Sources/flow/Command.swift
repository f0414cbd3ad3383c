import Engine
import Language

/// One command of `flow`: what `flow --help` says of it, and how it runs.
struct Command: Sendable {
  let name: String
  let usage: String
  let summary: String
  /// What it takes, where that is declared.
  var manual: Manual?
  /// Runs with the arguments after the command's name; the exit status.
  let run: @Sendable ([String]) -> Int32

  static let all: [Command] = [
    RunCommand.command, CheckCommand.command, TestCommand.command, EvalCommand.command, TailCommand.command,
    GraphCommand.command, StateCommand.command, NewCommand.command, NodesCommand.command, DocsCommand.command,
    SchemaCommand.command, SkyCommand.command,
    CompletionsCommand.command, VersionCommand.command, HelpCommand.command,
  ]

  init(name: String, usage: String, summary: String, run: @escaping @Sendable ([String]) -> Int32) {
    (self.name, self.usage, self.summary, self.run) = (name, usage, summary, run)
  }

  /// A command whose arguments are read as its manual declares them, and whose help is the manual's.
  init(_ manual: Manual, run: @escaping @Sendable (Arguments) throws(WrongUse) -> Int32) {
    self.init(name: manual.name, usage: manual.usage, summary: manual.summary) { given in
      do throws(WrongUse) {
        let arguments = try Arguments(given, of: manual)
        if !arguments.wantsHelp { return try run(arguments) }
        Terminal.say(manual.help)
        return ExitStatus.done
      } catch {
        Terminal.complain(
          "flow \(manual.name): \(error.message)\nUse flow \(manual.name) --help for its options.\n")
        return ExitStatus.usage
      }
    }
    self.manual = manual
  }

  /// A command that is several: the first argument says which.
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
          "there is no \(quoted("flow \(known.name) \($0)")); \(suggestion(for: $0, among: words) ?? "")"
        }
        ?? "it wants to be told what to do: \(alternatives(words))"
      Terminal.complain("flow \(known.name): \(problem)\nUse flow \(known.name) --help for what there is.\n")
      return ExitStatus.usage
    }
    self.manual = manual
  }

  static func run(_ arguments: [String]) -> Int32 {
    guard let name = arguments.first else {
      Terminal.passOn(HelpCommand.text)
      return ExitStatus.usage
    }
    if let command = all.first(where: { $0.name == name }) {
      return command.run(Array(arguments.dropFirst()))
    }
    switch name {
    case "-h", "--help":
      Terminal.say(HelpCommand.text)
      return ExitStatus.done
    case "-V", "--version": return VersionCommand.command.run([])
    default:
      return reportUnknown(name)
    }
  }

  static func reportUnknown(_ name: String) -> Int32 {
    let hint = nearest(to: name, among: all.map(\.name)).map { "; did you mean \(quoted($0))?" } ?? ""
    Terminal.complain("flow: there is no command \(quoted(name))\(hint)\n")
    Terminal.complain("Use flow help for the list of commands.\n")
    return ExitStatus.usage
  }
}

/// What a process of flow says by its exit status.
enum ExitStatus {
  static let done: Int32 = 0
  /// `-e`: the last output was false or null.
  static let falseOrNull: Int32 = 1
  /// It failed at work.
  static let failed: Int32 = 1
  /// Wrong use, or a file that cannot be read or written.
  static let usage: Int32 = 2
  /// The program is no program.
  static let compile: Int32 = 3
  /// `-e`: there was no output.
  static let noOutput: Int32 = 4
  /// An error while running, or input that is no JSON.
  static let runtime: Int32 = 5
  /// Stopped from the keyboard.
  static let interrupted: Int32 = 130
}
