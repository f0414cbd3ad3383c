/// The completion script for bash, which needs no other tools.
enum BashCompletions {
  static func text(_ commands: [CompletedCommand]) -> String {
    let leaves = commands.flatMap(\.leaves)
    return """
      # flow completions bash

      _flow_words() {
        COMPREPLY=($(compgen -W "$1" -- "$cur"))
      }

      _flow_list() {
        local before=
        case $cur in *,*) before=${cur%,*},; cur=${cur##*,} ;; esac
        COMPREPLY=($(compgen -P "$before" -W "$1" -- "$cur"))
        compopt -o nospace 2> /dev/null
      }

      _flow_names() {
        local name
        while IFS= read -r name || [ -n "$name" ]; do
          [[ $name == "$cur"* ]] && COMPREPLY+=("$(printf %q "$name")")
        done < <("${COMP_WORDS[0]}" completions "$1" 2> /dev/null)
      }

      _flow_files() {
        local IFS=$'\\n'
        COMPREPLY=($(compgen -f -- "$cur"))
        compopt -o filenames 2> /dev/null
      }

      _flow() {
        local cur=${COMP_WORDS[COMP_CWORD]} prev=
        [ "$COMP_CWORD" -gt 0 ] && prev=${COMP_WORDS[COMP_CWORD-1]}
        if [ "$cur" = "=" ]; then
          cur=
        elif [ "$prev" = "=" ] && [ "$COMP_CWORD" -gt 1 ]; then
          prev=${COMP_WORDS[COMP_CWORD-2]}
        fi
        COMPREPLY=()
        if [ "$COMP_CWORD" -le 1 ]; then
          _flow_words "\(commands.map(\.name).joined(separator: " "))"
          return
        fi
        local name=${COMP_WORDS[1]} at=1 parts
        while true; do
          case $name in
      \(commands.flatMap(\.groups).map { "      \(parts($0))\n" }.joined())      *) break ;;
          esac
          at=$((at + 1))
          if [ "$COMP_CWORD" -le "$at" ]; then
            _flow_words "$parts"
            return
          fi
          name="$name ${COMP_WORDS[$at]}"
        done
        case "$name $prev" in
      \(leaves.flatMap(values).map { "    \($0)\n" }.joined())  esac
        case "$name $cur" in
      \(leaves.compactMap(spellings).map { "    \($0)\n" }.joined())  esac
        case "$name" in
      \(leaves.compactMap(operands).map { "    \($0)\n" }.joined())  esac
      }

      complete -F _flow flow

      """
  }

  /// The subcommands that may follow a command.
  private static func parts(_ command: CompletedCommand) -> String {
    "\"\(command.name)\") parts=\"\(command.parts.map(\.word).joined(separator: " "))\" ;;"
  }

  /// The values that may follow an option.
  private static func values(_ command: CompletedCommand) -> [String] {
    command.options.compactMap { option in
      let action: String
      switch option.form {
      case .flag, .toggle, .optional: return nil
      case .pair: action = ""
      case .value: action = option.known.map { "_flow_names \($0.rawValue); " } ?? ""
      case .path: action = "_flow_files; "
      case .choice(let words): action = "_flow_words \"\(words.joined(separator: " "))\"; "
      case .list(_, let words): action = "_flow_list \"\(words.joined(separator: " "))\"; "
      }
      let patterns = option.spellings.map { "\"\(command.name) \($0)\"" }.joined(separator: "|")
      return "\(patterns)) \(action)return ;;"
    }
  }

  private static func spellings(_ command: CompletedCommand) -> String? {
    if command.options.isEmpty { return nil }
    let words = command.options.flatMap { $0.spellings.filter { $0.hasPrefix("--") } }
    return "\"\(command.name) -\"*) _flow_words \"\(words.joined(separator: " "))\"; return ;;"
  }

  private static func operands(_ command: CompletedCommand) -> String? {
    guard let words = command.words else {
      let names = command.known.map { "; _flow_names \($0.rawValue)" } ?? ""
      return "\"\(command.name)\") _flow_files\(names) ;;"
    }
    return words.isEmpty ? nil : "\"\(command.name)\") _flow_words \"\(words.joined(separator: " "))\" ;;"
  }
}
