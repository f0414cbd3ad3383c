import Engine
import Language
import Store

/// `flow state rename`: moves the state of a node that has another name now.
enum StateRenameCommand {
  static let manual = Manual(
    "state rename", "move the state of a node to its new name",
    operands: .one("NEW").after("OLD").after("PIPELINE"),
    options: [StateCommand.folder],
    about: """
      A step, source or sink under a new name begins without state, and the state under its old name belongs to \
      nothing: `flow run` reports that. This moves it, with the outputs that wait and the dead letters. The new \
      name must have no state: reset it first, if the pipeline has run under it.
      """,
    examples: [("flow state rename new-launches changes diffs", "a step that is called diffs now")])

  static let command = Command(reporting: manual) { arguments in
    let files = try StateFiles(arguments)
    let name = try files.find(arguments.operands[0])
    let (old, new) = (arguments.operands[1], arguments.operands[2])
    let path = files.path(of: name)
    // Closed before the file is opened again: closing any descriptor of a file releases SQLite's locks.
    let summary = try { try StateSummary(name, StateReader(path: path)) }()
    guard let node = summary.nodes.first(where: { $0.name == old }) else { throw summary.unknown(node: old) }
    if new.isEmpty || new.utf8.contains(UInt8(ascii: "@")) {
      throw StateError.unknown("\(quoted(new)) cannot be the name of a node")
    }
    if summary.nodes.contains(where: { $0.name == new }) {
      throw StateError.failed(
        "\(quoted(new)) has state already; to replace it: flow state reset \(name) \(new), then rename")
    }
    try StateFile(path: path).update { epoch throws(StoreError) in
      try epoch.rename(node: old, to: new, isSource: node.position != nil)
    }
    Terminal.say(
      "the state of \(quoted(old)) in \(quoted(name)) is that of \(quoted(new)) now:"
        + " \(StateText.count(node.keys, "key"))\n")
    return ExitStatus.done
  }
}
