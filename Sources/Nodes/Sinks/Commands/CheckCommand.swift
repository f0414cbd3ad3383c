import Engine
import Language

private let shells: Set<String> = ["sh", "bash", "dash", "ash", "ksh", "mksh", "zsh", "fish"]

/// Reports a command in which data would choose the program, or would be read by a shell.
func checkCommand(_ arguments: [Template], at place: Place, _ checker: Checker) {
  guard let program = arguments.first else { return }
  if !program.isFixed {
    checker.report(
      "the program to run cannot be made of data", at: place,
      hint: "name one program, and give it the data as an argument")
  }
  var hasShell = false
  for (index, argument) in arguments.enumerated() {
    let isScript = index > 0 && takesScript(arguments[index - 1].expression.text)
    if hasShell, isScript, !argument.isFixed {
      checker.report(
        "a shell would run what is in the data", at: place,
        hint: #"give data as an argument, as in [sh, -c, 'echo "$1"', sh, '\(.name)'], or by env"#)
      return
    }
    let name = argument.expression.text.split(separator: "/").last.map(String.init)
    if argument.isFixed, let name, shells.contains(name) { hasShell = true }
  }
}

/// `-c`, `-ec` and the like: the next argument is a script.
private func takesScript(_ argument: String) -> Bool {
  argument.hasPrefix("-") && !argument.hasPrefix("--") && argument.contains("c")
}

extension Template {
  /// Whether there is no expression in it.
  var isFixed: Bool { constant != nil || !expression.text.contains("\\(") }
}
