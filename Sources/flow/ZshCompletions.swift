/// The completion script for zsh.
enum ZshCompletions {
  static func text(_ commands: [CompletedCommand]) -> String {
    """
    #compdef flow

    _flow() {
      local -a commands
      commands=(
    \(commands.map { "    '\($0.name):\(quoted($0.summary))'\n" }.joined())  )
      if (( CURRENT == 2 )); then
        _describe command commands
        return
      fi
      shift words
      (( CURRENT-- ))
      case $words[1] in
    \(commands.map(arguments).joined())  esac
    }

    if [ "$funcstack[1]" = _flow ]; then
      _flow "$@"
    else
      compdef _flow flow
    fi

    """
  }

  private static func arguments(_ command: CompletedCommand) -> String {
    var specs = command.options.flatMap(specs)
    if let words = command.words {
      if !words.isEmpty { specs.append("'*:argument:(\(words.joined(separator: " ")))'") }
    } else {
      specs.append("'*:file:_files'")
    }
    if specs.isEmpty { return "" }
    return "    \(command.name))\n      _arguments -s \\\n        "
      + specs.joined(separator: " \\\n        ") + "\n      ;;\n"
  }

  private static func specs(_ option: Option) -> [String] {
    let action: String
    switch option.form {
    case .flag, .toggle: action = ""
    case .value: action = ":value: "
    case .path: action = ":file:_files"
    case .choice(let words): action = ":choice:(\(words.joined(separator: " ")))"
    case .list(_, let words): action = ":list:_values -s , kind \(words.joined(separator: " "))"
    }
    let summary = option.summary.isEmpty ? "" : "[\(quoted(option.summary))]"
    return option.spellings.map { "'*\($0)\(summary)\(action)'" }
  }

  /// Within single quotes and brackets, where colons mean something.
  private static func quoted(_ text: String) -> String {
    text.map { character in
      switch character {
      case "'": "'\\''"
      case "[", "]", ":": "\\\(character)"
      default: String(character)
      }
    }.joined()
  }
}
