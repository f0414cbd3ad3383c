import Glibc
import Engine
import Language
import Store
import System

/// The state of pipelines in `flow run`: where it is, and how it is opened.
struct RunState: Sendable {
  static let folder = CommandOption(
    "state", .path("FOLDER"), "the folder for the state (~/.local/state/flow)")
  static let none = CommandOption(
    "no-state", .flag, "keep no state; nothing is guaranteed beyond the process")
  static let reset = CommandOption(
    "reset-corrupt", .flag, "rename a damaged state and begin with an empty one")

  private let given: String?
  private let resetsCorrupt: Bool

  /// Nil if no state is kept.
  init?(_ arguments: Arguments) throws(WrongUse) {
    given = arguments.text(Self.folder)
    resetsCorrupt = arguments.has(Self.reset)
    guard arguments.has(Self.none) else { return }
    if given != nil { throw WrongUse("--state and --no-state exclude each other") }
    return nil
  }

  /// The state of a pipeline in a simulation, nil for real runs, and whether it is new; throws a sentence if it cannot
  /// be used.
  func open(_ plan: Plan, in simulation: String?, log: Log) throws -> (file: StateFile, isNew: Bool) {
    let path = try path(of: plan)
    let file: StateFile
    let isNew: Bool
    do throws(StoreError) {
      (file, isNew) = try opened(path, plan, simulation)
    } catch {
      // A full disk is waited for.
      guard [.disk, .denied].contains(error.kind) else { throw error }
      throw Sentence("\(error); use --state FOLDER for another folder, or --no-state")
    }
    if let aside = file.setAside {
      let note =
        "the state was damaged; it was renamed to \(aside), and the pipeline begins with an empty state"
      NodeLog(log: log, pipeline: plan.name, node: "").warning(note)
    }
    if !isNew, let note = try strays(file, plan) {
      NodeLog(log: log, pipeline: plan.name, node: "").warning(note)
    }
    // Thousands may be opened before the first begins.
    file.freeCache()
    return (file, isNew)
  }

  private func opened(
    _ path: String, _ plan: Plan, _ simulation: String?
  ) throws(StoreError) -> (StateFile, isNew: Bool) {
    let database = Database.Options(sync: plan.epochs.syncs ? .everyCommit : .never)
    let file = try StateFile(path: path, StateFile.Options(database: database, resetsCorrupt: resetsCorrupt))
    if let flaw = try file.flaw() {
      let advice =
        "flow state reset \(plan.name) deletes it, and with NODE the part of a node; then it starts again"
      throw StoreError(path, .inconsistent, "\(flaw); \(advice)")
    }
    let isNew = try claim(file, for: simulation)
    try claim(file, for: plan)
    return (file, isNew)
  }

  /// A sentence about state that belongs to no node of the pipeline, and the nodes that begin without; nil
  /// where nothing is stray.
  private func strays(_ file: StateFile, _ plan: Plan) throws(StoreError) -> String? {
    var keys: [String: Int] = [:]
    for entry in try file.storedNames() {
      keys[StateNode.name(ofTable: entry.name), default: 0] += entry.keys
    }
    let steps = plan.streams.flatMap(\.steps)
    let names = plan.sources.map(\.name) + steps.map(\.name) + plan.sinks.map(\.name)
    let strays = keys.filter { !names.contains($0.key) }.sorted { $0.key < $1.key }
    guard let first = strays.first else { return nil }
    let list = strays.map { "\($0.key)\($0.value > 0 ? " (\(StateText.count($0.value, "key")))" : "")" }
    let kept =
      plan.sources.filter(\.hasDurableState).map(\.name) + steps.filter(\.spec.hasDurableState).map(\.name)
      + plan.sinks.filter(\.spec.hasDurableState).map(\.name)
    let new = kept.filter { keys[$0] == nil }
    let begins =
      new.isEmpty ? "" : "; \(new.joined(separator: ", ")) begin\(new.count == 1 ? "s" : "") without"
    let folder = given.map { " --state \($0)" } ?? ""
    // By the time that this is read, the node has state of its own.
    let reset = new.first.map { "end this run, then flow state reset \(plan.name) \($0)\(folder) and " } ?? ""
    return
      "the state of \(list.joined(separator: ", ")) belongs to no node\(begins). If it has another name now: "
      + "\(reset)flow state rename \(plan.name) \(first.key) \(new.first ?? "NEW")\(folder); if it is gone: "
      + "flow state reset \(plan.name) \(first.key)\(folder)"
  }

  /// The folder of a pipeline's state.
  func folder(of plan: Plan) throws -> String {
    let configured = plan.config.member("state")?.string
    let standard = StateFolder.standard(environment: { Terminal.environment($0) })
    guard let folder = given ?? configured ?? standard else {
      throw Sentence(
        "no folder for the state: neither XDG_STATE_HOME nor HOME is set; "
          + "use --state FOLDER, or --no-state")
    }
    return folder
  }

  private func path(of plan: Plan) throws -> String {
    let folder = try folder(of: plan)
    guard let path = StateFolder.file(of: plan.name, in: folder) else {
      throw Sentence(
        "\(quoted(plan.name)) cannot be the name of a state file; give the pipeline a plain name, "
          + "or run it with --no-state")
    }
    return path
  }

  /// Real runs and each simulated world have states of their own; returns whether the state is new.
  private func claim(_ file: StateFile, for simulation: String?) throws(StoreError) -> Bool {
    let facts = try file.facts(owner: "pipeline")
    let owner = facts.first { $0.name == "world" }?.value.text
    if !facts.isEmpty {
      if owner == simulation { return false }
      throw StoreError(
        file.path, .foreign,
        "it is the state of \(owner ?? "real runs"), not of \(simulation ?? "real runs"); name another folder with --state"
      )
    }
    if let simulation {
      try file.update { (epoch) throws(StoreError) in
        try epoch.set(.text(simulation), owner: "pipeline", name: "world")
      }
    }
    return true
  }

  /// Two pipelines of the same name must not share a state.
  private func claim(_ file: StateFile, for plan: Plan) throws(StoreError) {
    guard let own = Self.absolute(plan.path) else { return }
    let owner = try file.fact(owner: "pipeline", name: "path")?.text
    if owner == own { return }
    if let owner, access(owner, F_OK) == 0 {
      throw StoreError(
        file.path, .foreign,
        "it belongs to another pipeline called \(quoted(plan.name)), \(owner); give one of them another name, "
          + "or use --state FOLDER")
    }
    try file.update { (epoch) throws(StoreError) in
      try epoch.set(.text(own), owner: "pipeline", name: "path")
    }
  }

  /// The path without links; nil where there is no such file.
  static func absolute(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
