import Language
import System

/// An argument of a command as it is written.
package struct CommandWord {
  package let text: String
  /// Whether it has no expressions.
  package let isFixed: Bool

  package init(_ text: String, isFixed: Bool) { (self.text, self.isFixed) = (text, isFixed) }

  package init(_ template: Template) {
    text = template.constant ?? template.expression.text
    isFixed = template.constant != nil || !text.has("\\(")
  }

  fileprivate var name: String { text.split(separator: "/").last.map(String.init) ?? "" }
}

extension Checker {
  /// Reports a command that lets data choose what is run, or be run as code, and warns of one that is not there and of
  /// signs of a shell where there is none.
  package func check(_ command: [CommandWord], environment: [String] = [], at place: SourceRange) {
    guard let program = command.first else { return }
    if !program.isFixed {
      report(
        "the program to run must not depend on data", at: place,
        hint: "name a program and pass the data as an argument")
      return
    }
    warnOfShellSigns(in: command.map(\.text), at: place)
    if let flaw = CodeArgument.flaw(of: command) {
      return report(flaw.message, at: place, hint: flaw.hint)
    }
    // Where the command has a PATH of its own, or a variable of the environment names it, this machine's says nothing.
    if program.text.isEmpty || environment.contains("PATH") { return }
    if !commandExists(program.text, true) {
      warn(
        "there is no command \(quoted(program.text)) on this machine", at: place,
        hint: program.text.contains("/")
          ? "it is searched next to the pipeline, then in the working directory" : "it is searched in PATH")
    } else if let script = CodeArgument.script(of: command), script.isFixed,
      !commandExists(script.text, false)
    {
      warn(
        "there is no file \(quoted(script.text)) for \(program.text) to run", at: place,
        hint: "it is searched next to the pipeline, then in the working directory")
    }
  }

  /// Reports variables of the environment that decide what code a command runs, and depend on data.
  package func check(environment: [(name: String, isFixed: Bool)], at place: SourceRange) {
    for variable in environment {
      let name = variable.name
      if name.isEmpty || name.contains("=") || name.utf8.contains(0) {
        report("\(quoted(name)) is not a valid name of an environment variable", at: place)
      } else if !variable.isFixed, name.hasPrefix("LD_") || CodeArgument.variables.contains(name) {
        report(
          "\(name) decides what code runs, and must not depend on data", at: place,
          hint: "give it a fixed value, and pass the data in a variable of another name")
      }
    }
  }

  /// Warns of what only a shell understands, as an argument of a command that is none.
  private func warnOfShellSigns(in arguments: [String], at place: SourceRange) {
    let signs: Set<String> = ["|", "||", "&&", "&", ">", ">>", "<", "2>", "2>&1"]
    let isShell = arguments.contains {
      CodeArgument.shells.contains($0.split(separator: "/").last.map(String.init) ?? "")
    }
    // Between two words: `cut -d '|'` and `tr '|' ,` mean it.
    let between = arguments.indices.dropFirst(2).first { place in
      signs.contains(arguments[place]) && !arguments[place - 1].hasPrefix("-")
        && (place + 1 < arguments.count || arguments[place].hasPrefix("2>&"))
    }
    guard !isShell, let between else { return }
    let isPlain = arguments.allSatisfy { !$0.contains { " '\"\\$".contains($0) } }
    warn(
      "\(quoted(arguments[between])) is an argument of \(arguments[0]) here, because no shell is involved",
      at: place,
      hint: "for a shell write [sh, -c, '\(isPlain ? arguments.joined(separator: " ") : "COMMAND")']")
  }
}

/// The argument of a command that an interpreter runs as code.
private enum CodeArgument {
  static let shells: Set = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish"]

  /// Variables, besides those of the loader, by which a program runs other code.
  static let variables: Set = [
    "PATH", "IFS", "ENV", "BASH_ENV", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONHOME", "PERL5LIB", "PERL5OPT",
    "RUBYLIB",
    "RUBYOPT", "NODE_OPTIONS", "NODE_PATH", "GIT_SSH_COMMAND", "GCONV_PATH",
  ]

  /// The options of interpreters behind which their code stands.
  private static let options: [String: Set<String>] = [
    "python": ["-c"], "perl": ["-e", "-E"], "ruby": ["-e"], "lua": ["-e"], "php": ["-r"],
    "node": ["-e", "-p", "--eval", "--print"], "deno": ["eval"], "bun": ["-e", "--eval"],
  ]

  /// Commands that run the command in their arguments.
  private static let wrappers: Set = [
    "busybox", "chroot", "doas", "env", "flock", "ionice", "nice", "nohup", "setsid", "stdbuf", "sudo",
    "timeout", "xargs",
  ]

  /// The interpreter that a word names, without its version: `python` for `/usr/bin/python3.12`.
  private static func interpreter(_ word: CommandWord) -> String? {
    guard word.isFixed else { return nil }
    if shells.contains(word.name) { return word.name }
    let name = String(word.name.prefix { $0.isLetter })
    return options[name] == nil || word.name.contains("-") ? nil : name
  }

  private static func isOption(_ word: CommandWord) -> Bool { word.isFixed && word.text.hasPrefix("-") }

  /// Whether the code of an interpreter stands behind this word: `-c`, `-ec` and the like of a shell.
  private static func announcesCode(_ word: CommandWord, of interpreter: String) -> Bool {
    guard word.isFixed else { return false }
    if let options = options[interpreter] { return options.contains(word.text) }
    return word.text.hasPrefix("-") && !word.text.hasPrefix("--") && word.text.contains("c")
  }

  /// The script that the program runs: its first argument that is no option, where it is an interpreter without code.
  static func script(of command: [CommandWord]) -> CommandWord? {
    guard let program = command.first, let interpreter = interpreter(program),
      !command.contains(where: { announcesCode($0, of: interpreter) }),
      // The value of an option may stand there.
      let first = command.dropFirst().first, !isOption(first), first.text.contains(".")
    else { return nil }
    return first
  }

  static func flaw(of command: [CommandWord]) -> (message: String, hint: String)? {
    let isWrapped = command.first.map { wrappers.contains($0.name) } ?? false
    for (place, word) in command.enumerated() where word.isFixed {
      let rest = command[(place + 1)...]
      let isProgram = place == 0 || isWrapped
      if !isProgram, !shells.contains(word.name) { continue }
      if let interpreter = interpreter(word) {
        if let flag = rest.firstIndex(where: { announcesCode($0, of: interpreter) }) {
          guard flag + 1 < command.count, !command[flag + 1].isFixed else { continue }
          return shells.contains(interpreter)
            ? (
              "a shell would execute the data as code",
              #"pass data as an argument, as in [sh, -c, 'echo "$1"', sh, '\(.name)'], or in env"#
            )
            : (
              "\(word.name) would execute the data as code",
              "pass data as an argument behind the code, or in env"
            )
        }
        // Behind the script its arguments follow.
        if isProgram, let script = rest.first(where: { !isOption($0) }), !script.isFixed {
          return (
            "the script that \(word.name) runs must not depend on data",
            "name a script and pass the data to it"
          )
        }
      }
      if word.name == "ssh", let host = operand(in: rest, withValues: "BbcDEeFIiJLlmOopPQRSWw"),
        rest[(host + 1)...].contains(where: { !$0.isFixed && !$0.text.has("@sh") })
      {
        return (
          "the shell of the other machine would execute the data as code",
          #"quote it, as in 'echo \(.name | @sh)', or pass it on standard input"#
        )
      }
      if ["awk", "gawk", "mawk", "nawk"].contains(word.name),
        !rest.contains(where: { $0.text.hasPrefix("-f") }),
        let code = operand(in: rest, withValues: "vF"), !command[code].isFixed
      {
        return (
          "\(word.name) would execute the data as code",
          #"pass data in env, which awk has as ENVIRON["NAME"]"#
        )
      }
    }
    return nil
  }

  /// The place of the first argument that is neither an option nor the value of one of these.
  private static func operand(in arguments: ArraySlice<CommandWord>, withValues: String) -> Int? {
    var place = arguments.startIndex
    while place < arguments.endIndex, isOption(arguments[place]) {
      let text = arguments[place].text
      if text == "--" { return place + 1 < arguments.endIndex ? place + 1 : nil }
      place += text.count == 2 && withValues.contains(text.last ?? "-") ? 2 : 1
    }
    return place < arguments.endIndex ? place : nil
  }
}
