import Engine
import Language
import Store

/// `flow state dead`: lists, retries or drops dead letters.
enum StateDeadCommand {
  static let all = CommandOption("all", .flag, "all dead letters of the pipeline")

  static let command = Command(
    Manual(
      "state dead", "list, retry or drop dead letters",
      about: """
        After its last attempt a sink gives up on an output, and `enrich` on an event whose lookup is refused or fails for \
        too long. It becomes a dead letter with a number and the reason. Retrying returns an output to its sink with the \
        same id, and the next run writes it; an event returns to its step, and the next run asks again.
        """,
      examples: [
        ("flow state dead ls new-launches", "all dead letters"),
        ("flow state dead retry new-launches 3 4", "retry two of them"),
        ("flow state dead drop new-launches --all", "drop all"),
      ]),
    parts: [StateDeadList.command, retry, drop])

  private static let retry = change(
    Manual(
      "state dead retry", "retry dead letters", operands: .any("NUMBER").after("PIPELINE"),
      options: [all, StateCommand.folder],
      about: "The next run writes outputs, each with the same id, and repeats lookups.",
      examples: [("flow state dead retry new-launches 3 4", "two of them")]), did: "put back"
  ) { epoch, number throws(StoreError) in try epoch.retry(deadLetter: number) }

  private static let drop = change(
    Manual(
      "state dead drop", "drop dead letters", operands: .any("NUMBER").after("PIPELINE"),
      options: [all, StateCommand.folder], about: "Their content is discarded.",
      examples: [("flow state dead drop new-launches --all", "all of them")]), did: "dropped"
  ) { epoch, number throws(StoreError) in try epoch.drop(deadLetter: number) }

  /// A command on dead letters that affects all of the given ones, or none if one does not exist.
  private static func change(
    _ manual: Manual, did: String,
    _ body: @escaping @Sendable (borrowing Epoch, Int64) throws(StoreError) -> Void
  ) -> Command {
    Command(reporting: manual) { arguments in
      let files = try StateFiles(arguments)
      let name = try files.find(arguments.operands[0])
      let given = try Array(arguments.operands.dropFirst()).map(number)
      guard given.isEmpty == arguments.has(all) else {
        throw WrongUse(
          given.isEmpty
            ? "give the NUMBERs of dead letters, or --all" : "NUMBERs and --all exclude each other")
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
              + (letters.isEmpty ? "it has none" : "“flow state dead ls \(name)” lists them"))
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
      throw WrongUse("\(quoted(text)) is not a NUMBER of a dead letter, such as 1")
    }
    return number
  }
}
