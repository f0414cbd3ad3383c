import Engine
import Language
import Store

/// `flow state dead`: what sinks have given up on, to be looked at, tried again or dropped.
enum StateDeadCommand {
  static let all = CommandOption("all", .flag, "all dead letters of the pipeline")

  static let command = Command(
    Manual(
      "state dead", "what sinks have given up on",
      about: """
        A sink that has tried an output as often as it should gives it up: it becomes a dead letter, with a number and \
        the reason. One that is to be tried again goes back to its sink with its old id, and is written by the next run.
        """,
      examples: [
        ("flow state dead ls slips", "what there is"), ("flow state dead retry slips 3 4", "try two again"),
        ("flow state dead drop slips --all", "drop all"),
      ]),
    parts: [StateDeadList.command, retry, drop])

  private static let retry = change(
    Manual(
      "state dead retry", "have them tried again", operands: .any("NUMBER").after("PIPELINE"),
      options: [all, StateCommand.folder], about: "The next run writes them, each with its old id.",
      examples: [("flow state dead retry slips 3 4", "two of them")]), did: "put back"
  ) { epoch, number throws(StoreError) in try epoch.retry(deadLetter: number) }

  private static let drop = change(
    Manual(
      "state dead drop", "forget them", operands: .any("NUMBER").after("PIPELINE"),
      options: [all, StateCommand.folder], about: "What they hold is written nowhere.",
      examples: [("flow state dead drop slips --all", "all of them")]), did: "dropped"
  ) { epoch, number throws(StoreError) in try epoch.drop(deadLetter: number) }

  /// A command that does something to some letters, or to none where one of them is not there.
  private static func change(
    _ manual: Manual, did: String,
    _ body: @escaping @Sendable (borrowing Epoch, Int64) throws(StoreError) -> Void
  ) -> Command {
    Command(state: manual) { arguments in
      let files = try StateFiles(arguments)
      let name = try files.find(arguments.operands[0])
      let given = try Array(arguments.operands.dropFirst()).map(number)
      guard given.isEmpty == arguments.has(all) else {
        throw WrongUse(
          given.isEmpty
            ? "it takes the NUMBERs of dead letters, or --all" : "it takes NUMBERs or --all, not both")
      }
      let state = try StateFile(path: files.path(of: name))
      var letters: [(number: Int64, name: String)] = []
      try StateDeadList.forEach {
        try state.deadLetters(after: $0)
      } do: {
        letters.append(($0.number, "\($0.number), \($0.entry.sink), \($0.entry.id)"))
      }
      if !given.isEmpty {
        for number in given where !letters.contains(where: { $0.number == number }) {
          throw StateError.unknown(
            "\(quoted(name)) has no dead letter \(number); "
              + (letters.isEmpty ? "it has none at all" : "“flow state dead ls \(name)” lists them"))
        }
        letters = letters.filter { given.contains($0.number) }
      }
      try state.update { epoch throws(StoreError) in
        for letter in letters { try body(epoch, letter.number) }
      }
      for letter in letters { Terminal.say("\(did) \(printable(letter.name))\n") }
      if letters.isEmpty { Terminal.complain("\(quoted(name)) has no dead letters\n") }
      return ExitStatus.done
    }
  }

  private static func number(_ text: String) throws(WrongUse) -> Int64 {
    guard let number = Int64(text), number > 0 else {
      throw WrongUse("\(quoted(text)) is no NUMBER of a dead letter, such as 1")
    }
    return number
  }
}
