import Glibc
import Engine
import Language
import Store

/// `flow state reset`: has a pipeline, or some of its nodes, begin anew.
enum StateResetCommand {
  static let yes = CommandOption("yes", short: "y", .flag, "do not ask")

  static let manual = Manual(
    "state reset", "forget everything, or some nodes",
    operands: .any("NODE").after("PIPELINE"), options: [yes, StateCommand.folder],
    about: """
      Without NODE, everything is forgotten, dead letters too; with it, what these steps, sources and sinks know, and \
      what the sinks are still to write. A source then begins at its beginning, and a sink may be given again what it \
      has been given. Asks first; without a terminal to ask on, --yes is needed.
      """,
    examples: [
      ("flow state reset slips", "everything"), ("flow state reset slips dedupe --yes", "one step, unasked"),
    ])

  static let command = Command(state: manual) { arguments in
    let files = try StateFiles(arguments)
    let name = try files.find(arguments.operands[0])
    let path = files.path(of: name)
    let isAsking = !arguments.has(yes)
    if isAsking, !Terminal.isTerminal(0) || !Terminal.isTerminal(2) {
      throw WrongUse("nothing is forgotten without --yes where there is no terminal to ask on")
    }
    let given = Array(arguments.operands.dropFirst())
    return given.isEmpty
      ? try forget(name, path, isAsking: isAsking) : try forget(given, of: name, path, isAsking: isAsking)
  }

  /// Everything.
  private static func forget(_ name: String, _ path: String, isAsking: Bool) throws -> Int32 {
    let removal = try StateRemoval(path: path)
    let what: String
    do throws(StoreError) {
      let summary = try StateSummary(name, StateReader(path: path))
      what = [
        StateText.count(summary.keys, "key"), StateText.count(summary.waiting, "waiting output"),
        StateText.count(summary.dead, "dead letter"),
      ].joined(separator: ", ")
    } catch {
      guard error.kind == .corrupt || error.kind == .newer else { throw error }
      what = "which cannot be read: \(error.reason)"
    }
    guard !isAsking || isAgreed("forget all that \(quoted(name)) remembers (\(what))") else {
      return declined()
    }
    try removal.remove()
    Terminal.say("forgot all of \(quoted(name)): \(printable(what))\n")
    return ExitStatus.done
  }

  /// Some nodes.
  private static func forget(
    _ given: [String], of name: String, _ path: String, isAsking: Bool
  ) throws -> Int32 {
    // It is closed before the file is opened again: of what a process closes, SQLite loses its locks.
    let summary = try { try StateSummary(name, StateReader(path: path)) }()
    var nodes: [String] = []
    for node in given where !nodes.contains(node) {
      guard summary.nodes.contains(where: { $0.name == node }) else { throw summary.unknown(node: node) }
      nodes.append(node)
    }
    let state = try StateFile(path: path)
    let list = nodes.map(quoted).joined(separator: ", ")
    guard
      !isAsking || isAgreed("forget what \(list) of \(quoted(name)) remember\(nodes.count == 1 ? "s" : "")")
    else { return declined() }
    var forgotten: [StateReset] = []
    try state.update { epoch throws(StoreError) in
      forgotten = []
      for node in nodes { forgotten.append(try epoch.reset(node: node)) }
    }
    for (node, what) in zip(nodes, forgotten) {
      let parts = [
        StateText.count(what.keys, "key"), StateText.count(what.facts, "fact"),
        StateText.count(what.waiting, "waiting output"),
      ]
      Terminal.say("forgot \(quoted(node)) of \(quoted(name)): \(parts.joined(separator: ", "))\n")
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
    Terminal.complain("nothing was forgotten\n")
    return ExitStatus.failed
  }
}
