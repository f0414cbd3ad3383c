import Glibc
import Engine
import Language
import Store

/// `flow state reset`: resets a pipeline, or some of its nodes.
enum StateResetCommand {
  static let yes = CommandOption("yes", short: "y", .flag, "do not ask for confirmation")

  static let manual = Manual(
    "state reset", "reset a pipeline, or some of its nodes",
    operands: .any("NODE").after("PIPELINE"), options: [yes, StateCommand.folder],
    about: """
      Without NODE, the whole state is deleted, including dead letters; with NODE, the state of these steps, sources \
      and sinks and their pending output. A source then begins at its start, and a sink may receive again what it has \
      already received. Asks for confirmation; without a terminal, --yes is required.
      """,
    examples: [
      ("flow state reset new-launches", "the whole pipeline"),
      ("flow state reset new-launches settle --yes", "one step, without confirmation"),
    ])

  static let command = Command(reporting: manual) { arguments in
    let files = try StateFiles(arguments)
    let name = try files.find(arguments.operands[0])
    let path = files.path(of: name)
    let isAsking = !arguments.has(yes)
    if isAsking, !Terminal.isTerminal(0) || !Terminal.isTerminal(2) {
      throw WrongUse("--yes is required without a terminal")
    }
    let given = Array(arguments.operands.dropFirst())
    return given.isEmpty
      ? try forget(name, path, isAsking: isAsking) : try forget(given, of: name, path, isAsking: isAsking)
  }

  /// The whole pipeline.
  private static func forget(_ name: String, _ path: String, isAsking: Bool) throws -> Int32 {
    let removal = try StateRemoval(path: path)
    let what: String
    var link = ": "
    do throws(StoreError) {
      let summary = try StateSummary(name, StateReader(path: path))
      what = [
        StateText.count(summary.keys, "key"), StateText.count(summary.waiting, "waiting output"),
        StateText.count(summary.dead, "dead letter"),
      ].joined(separator: ", ")
    } catch {
      guard error.kind == .corrupt || error.kind == .newer else { throw error }
      link = ", "
      what = "which cannot be read: \(error.reason)"
    }
    guard !isAsking || isAgreed("delete the state of \(quoted(name)) (\(what))") else {
      return declined()
    }
    try removal.remove()
    Terminal.say("deleted the state of \(quoted(name))\(link)\(printable(what))\n")
    return ExitStatus.done
  }

  /// Some nodes.
  private static func forget(
    _ given: [String], of name: String, _ path: String, isAsking: Bool
  ) throws -> Int32 {
    // Closed before the file is opened again: closing any descriptor of a file releases SQLite's locks.
    let summary = try { try StateSummary(name, StateReader(path: path)) }()
    var nodes: [String] = []
    for node in given where !nodes.contains(node) {
      guard summary.nodes.contains(where: { $0.name == node }) else { throw summary.unknown(node: node) }
      nodes.append(node)
    }
    let state = try StateFile(path: path)
    let list = nodes.map(quoted).joined(separator: ", ")
    guard
      !isAsking || isAgreed("delete the state of \(list) in \(quoted(name))")
    else { return declined() }
    var forgotten: [StateReset] = []
    try state.update { epoch throws(StoreError) in
      forgotten = []
      for node in nodes { forgotten.append(try epoch.reset(node: node)) }
      try epoch.forgetFlaw()
    }
    for (node, what) in zip(nodes, forgotten) {
      let parts = [
        StateText.count(what.keys, "key"), StateText.count(what.facts, "fact"),
        StateText.count(what.waiting, "waiting output"),
      ]
      Terminal.say(
        "deleted the state of \(quoted(node)) in \(quoted(name)): \(parts.joined(separator: ", "))\n")
    }
    return ExitStatus.done
  }

  private static func isAgreed(_ what: String) -> Bool {
    Terminal.complain("\(printable(what))? [y/N] ")
    guard let answer = readLine() else {
      Terminal.complain("\n")
      return false
    }
    return ["y", "yes"].contains(answer.lowercased())
  }

  private static func declined() -> Int32 {
    Terminal.complain("nothing was deleted\n")
    return ExitStatus.failed
  }
}
