import Engine
import Language

/// `flow completions`: prints a script for shell completion.
enum CompletionsCommand {
  static let manual = Manual(
    "completions", "print a script for shell completion",
    operands: .one("SHELL", offering: ["bash", "zsh", "fish"]),
    about: """
      SHELL is bash, zsh or fish. The scripts ask flow itself at each completion, so that they fit each version of it, and \
      offer the names of pipelines too. flow completions installed lists those that are installed, and flow completions running \
      those that run or have state.
      """,
    examples: [
      ("source <(flow completions bash)", "in ~/.bashrc"),
      ("flow completions zsh > ~/.zfunc/_flow", "where ~/.zfunc is in $fpath"),
      ("flow completions fish > ~/.config/fish/completions/flow.fish", "for fish"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let asked = arguments.operands.first ?? ""
    if let names = KnownNames(rawValue: asked) {
      Terminal.say(names.all.map { $0 + "\n" }.joined())
    } else if let script = scripts[asked] {
      Terminal.say(script)
    } else {
      let hint = suggestion(for: asked, among: manual.operands.words ?? []).map { "; \($0)" } ?? ""
      throw WrongUse("there are no completions for \(quoted(asked))\(hint)")
    }
    return ExitStatus.done
  }

  /// The scripts: each has flow name the words, with a summary behind a tab; a line that begins with one is a direction.
  private static let scripts = [
    "bash": """
    # flow completions bash

    _flow() {
      local line cur=${COMP_WORDS[COMP_CWORD]}
      [ "$cur" = "=" ] && cur=
      COMPREPLY=()
      while IFS= read -r line; do
        case $line in
          $'\\tfiles')
            while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen -f -- "$cur")
            compopt -o filenames 2> /dev/null ;;
          $'\\tlist') compopt -o nospace 2> /dev/null ;;
          *) COMPREPLY+=("$(printf %q "${line%%$'\\t'*}")") ;;
        esac
      done < <("${COMP_WORDS[0]}" __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2> /dev/null)
    }

    complete -F _flow flow

    """,
    "zsh": """
    #compdef flow

    _flow() {
      local line files=0 end=' '
      local -a offers
      while IFS= read -r line; do
        case $line in
          $'\\tfiles') files=1 ;;
          $'\\tlist') end= ;;
          *) offers+=("${${line%%$'\\t'*}//:/\\\\:}:${line#*$'\\t'}") ;;
        esac
      done < <("${words[1]}" __complete "${(@)words[2,CURRENT]}" 2> /dev/null)
      (( $#offers )) && _describe flow offers -S "$end"
      (( files )) && _files
    }

    if [ "$funcstack[1]" = _flow ]; then
      _flow "$@"
    else
      compdef _flow flow
    fi

    """,
    "fish": """
    # flow completions fish

    function __flow_words
      set -l words (commandline -opc) (commandline -ct)
      for line in ($words[1] __complete $words[2..] 2> /dev/null)
        switch $line
          case \\tfiles
            __fish_complete_path (commandline -ct)
          case \\tlist
          case '*'
            echo $line
        end
      end
    end

    complete -c flow -f -a '(__flow_words)'

    """,
  ]
}

extension KnownNames {
  /// The names, as they are at the moment.
  var all: [String] {
    switch self {
    case .installed: return InstalledPipelines.names.map(printable)
    case .running:
      let files = try? StateFiles(Arguments([], of: StatusCommand.manual))
      let running = files.map { StatusClient.processes(in: $0.folder).answers.flatMap(\.pipelines) } ?? []
      return Set((files?.names ?? []) + running.map(\.name)).sorted().map(printable)
    }
  }
}
