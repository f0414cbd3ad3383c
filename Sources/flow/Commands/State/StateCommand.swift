import Engine
import Language
import Store

/// `flow state`: shows and resets the state of pipelines.
enum StateCommand {
  static let folder = CommandOption(
    "state", .path("FOLDER"),
    "the folder of the state, instead of $XDG_STATE_HOME/flow or ~/.local/state/flow")
  static let json = CommandOption("json", .flag, "print JSON lines, for other programs")

  static let command = Command(
    Manual(
      "state", "show or reset the state of pipelines",
      about: """
        Each pipeline has one state file: the memory of its steps, the positions of its sources, the pending output of \
        its sinks, and what they have given up on, the dead letters. PIPELINE is the name of a pipeline or its YAML \
        file. State can be shown while the pipeline runs, but not changed.
        """,
      examples: [
        ("flow state ls", "all pipelines with state"),
        ("flow state show new-launches changes", "the state of a step"),
        ("flow state reset new-launches settle", "reset a step"),
        ("flow state dead retry new-launches --all", "retry what could not be written"),
      ]),
    parts: [
      StateListCommand.command, StateShowCommand.command, StateRenameCommand.command,
      StateResetCommand.command, StateDeadCommand.command,
    ])
}

/// Why a command about state failed: a sentence, and the exit status.
struct StateError: Error {
  let message: String
  let status: Int32

  /// A name that does not exist.
  static func unknown(_ message: String) -> StateError {
    StateError(message: message, status: ExitStatus.usage)
  }
  static func failed(_ message: String) -> StateError {
    StateError(message: message, status: ExitStatus.failed)
  }
}

extension Command {
  /// A command that may fail, and then says why.
  init(reporting manual: Manual, run: @escaping @Sendable (Arguments) throws -> Int32) {
    self.init(manual) { arguments throws(WrongUse) in
      do {
        return try run(arguments)
      } catch let error as WrongUse {
        throw error
      } catch {
        let known = error as? StateError
        Terminal.complain("flow \(manual.name): \(printable(known?.message ?? "\(error)"))\n")
        return known?.status ?? ExitStatus.failed
      }
    }
  }
}
