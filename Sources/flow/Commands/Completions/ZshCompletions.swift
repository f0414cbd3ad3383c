/// The completion script for zsh.
enum ZshCompletions {
  static func text(_ commands: [CompletedCommand]) -> String {
    """
    #compdef flow

    _flow_names() {
      compadd -- ${(f)"$(flow completions $1 2> /dev/null)"}
    }

    _flow() {
      local -a commands
    \(choice(among: commands, indent: "  "))
    }

    if [ "$funcstack[1]" = _flow ]; then
      _flow "$@"
    else
      compdef _flow flow
    fi

    """
  }

  /// Completes the subcommand, or what follows it.
  private static func choice(among commands: [CompletedCommand], indent: String) -> String {
    let inner = indent + "  "
    let names = commands.map { "\(inner)'\($0.word):\(quoted($0.summary))'\n" }.joined()
    return """
      \(indent)commands=(
      \(names)\(indent))
      \(indent)if (( CURRENT == 2 )); then
      \(inner)_describe command commands
      \(inner)return
      \(indent)fi
      \(indent)shift words
      \(indent)(( CURRENT-- ))
      \(indent)case $words[1] in
      \(commands.map { arguments($0, indent: inner) }.joined())\(indent)esac
      """
  }

  private static func arguments(_ command: CompletedCommand, indent: String) -> String {
    let body: String
    if command.parts.isEmpty {
      var specs = command.options.flatMap(specs)
      if let words = command.words {
        if !words.isEmpty { specs.append("'*:argument:(\(words.joined(separator: " ")))'") }
      } else {
        let names = command.known.map { "{_flow_names \($0.rawValue); _files}" }
        specs.append("'*:file:\(names ?? "_files")'")
      }
      if specs.isEmpty { return "" }
      body = "\(indent)  _arguments -s \\\n\(indent)    " + specs.joined(separator: " \\\n\(indent)    ")
    } else {
      body = choice(among: command.parts, indent: indent + "  ")
    }
    return "\(indent)\(command.word))\n\(body)\n\(indent)  ;;\n"
  }

  private static func specs(_ option: CommandOption) -> [String] {
    let action: String
    switch option.form {
    case .flag, .toggle, .optional: action = ""
    case .value: action = ":value:" + (option.known.map { "{_flow_names \($0.rawValue)}" } ?? " ")
    case .pair: action = ":name: :value:_files"
    case .path: action = ":file:_files"
    case .choice(let words): action = ":choice:(\(words.joined(separator: " ")))"
    case .list(_, let words): action = ":list:_values -s , kind \(words.joined(separator: " "))"
    }
    let summary = option.summary.isEmpty ? "" : "[\(quoted(option.summary))]"
    return option.spellings.map { "'*\($0)\(summary)\(action)'" }
  }

  /// Escapes a text for single quotes and brackets, where colons have a meaning.
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
