import Engine
import Language
import Store

/// `flow state`: what pipelines remember between runs.
enum StateCommand {
  static let folder = CommandOption(
    "state", .path("FOLDER"), "where state is kept, instead of $XDG_STATE_HOME/flow or ~/.local/state/flow")
  static let json = CommandOption("json", .flag, "JSON, a line each, for other programs")

  static let command = Command(
    Manual(
      "state", "see and forget what pipelines remember",
      about: """
        Of each pipeline there is one file of state: what its steps know, how far its sources have come, what its \
        sinks are still to write, and what they have given up on, the dead letters. PIPELINE is a pipeline's name, or \
        its YAML file. Looking is possible while the pipeline runs; changing is not.
        """,
      examples: [
        ("flow state ls", "every pipeline that has state"),
        ("flow state show slips changes", "what a step knows"),
        ("flow state reset slips dedupe", "have a step begin anew"),
        ("flow state dead retry slips --all", "try again what could not be written"),
      ]),
    parts: [
      StateListCommand.command, StateShowCommand.command, StateResetCommand.command, StateDeadCommand.command,
    ])
}

/// Why a command about state comes to nothing: a sentence, and the exit status.
struct StateError: Error {
  let message: String
  let status: Int32

  /// Something that is named and is not there.
  static func unknown(_ message: String) -> StateError {
    StateError(message: message, status: ExitStatus.usage)
  }
  static func failed(_ message: String) -> StateError {
    StateError(message: message, status: ExitStatus.failed)
  }
}

extension Command {
  /// A command about state, whose failures are told.
  init(state manual: Manual, run: @escaping @Sendable (Arguments) throws -> Int32) {
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
