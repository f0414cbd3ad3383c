import Glibc
import Nodes
import Engine
import Language
import Store

/// Where `flow run` keeps what pipelines remember, and how it is opened.
struct RunState: Sendable {
  static let folder = CommandOption(
    "state", .path("FOLDER"), "where the pipeline's state is kept (~/.local/state/flow)")
  static let none = CommandOption("no-state", .flag, "remember nothing, and promise nothing past the process")
  static let reset = CommandOption("reset-corrupt", .flag, "set a damaged state aside and begin anew")

  private let given: String?
  private let resetsCorrupt: Bool

  /// Nil where nothing is to be remembered.
  init?(_ arguments: Arguments) throws(WrongUse) {
    given = arguments.text(Self.folder)
    resetsCorrupt = arguments.has(Self.reset)
    guard arguments.has(Self.none) else { return }
    if given != nil { throw WrongUse("--state and --no-state are said together; leave one out") }
    return nil
  }

  private struct Unusable: Error, CustomStringConvertible {
    let description: String
  }

  /// The state of a pipeline in a world, nil being the real one, and whether it is new; throws a sentence where it
  /// cannot be used.
  func open(_ plan: Plan, in world: String?, log: Log) throws -> (file: StateFile, isNew: Bool) {
    let path = try path(of: plan)
    let file: StateFile
    let isNew: Bool
    do throws(StoreError) {
      (file, isNew) = try opened(path, plan, world)
    } catch {
      // A full disk is waited for.
      guard [.disk, .denied].contains(error.kind) else { throw error }
      throw Unusable(
        description: "\(error); --state FOLDER names another place, and --no-state does without")
    }
    if let aside = file.setAside {
      let note = "the state was damaged; it is kept as \(aside), and begun anew"
      NodeLog(log: log, pipeline: plan.name, node: "").warning(note)
    }
    return (file, isNew)
  }

  private func opened(
    _ path: String, _ plan: Plan, _ world: String?
  ) throws(StoreError) -> (StateFile, isNew: Bool) {
    let database = Database.Options(sync: plan.epochs.syncs ? .everyCommit : .never)
    let file = try StateFile(path: path, StateFile.Options(database: database, resetsCorrupt: resetsCorrupt))
    let isNew = try claim(file, for: world)
    try claim(file, for: plan)
    return (file, isNew)
  }

  /// The folder that the state of a pipeline is in.
  func folder(of plan: Plan) throws -> String {
    let configured = plan.config.member("state")?.string
    let standard = StateFolder.standard(environment: { Terminal.environment($0) })
    guard let folder = given ?? configured ?? standard else {
      throw Unusable(
        description: "there is no place for state: neither XDG_STATE_HOME nor HOME is set; "
          + "--state FOLDER names one, and --no-state does without")
    }
    return folder
  }

  private func path(of plan: Plan) throws -> String {
    let folder = try folder(of: plan)
    guard let path = StateFolder.file(of: plan.name, in: folder) else {
      throw Unusable(
        description:
          "state cannot be kept under the name \(quoted(plan.name)); give the pipeline a plain name, "
          + "or run it with --no-state")
    }
    return path
  }

  /// Real runs and each simulated world have states of their own; returns whether the state is new.
  private func claim(_ file: StateFile, for world: String?) throws(StoreError) -> Bool {
    let facts = try file.facts(owner: "pipeline")
    let owner = facts.first { $0.name == "world" }?.value.text
    if !facts.isEmpty {
      if owner == world { return false }
      throw StoreError(
        file.path, .foreign,
        "it is the state of \(owner ?? "real runs"), not of \(world ?? "real runs"); name another folder with --state"
      )
    }
    if let world {
      try file.update { (epoch) throws(StoreError) in
        try epoch.set(.text(world), owner: "pipeline", name: "world")
      }
    }
    return true
  }

  /// Two pipelines of one name would take each other's state for their own.
  private func claim(_ file: StateFile, for plan: Plan) throws(StoreError) {
    guard let own = absolute(plan.path) else { return }
    let owner = try file.fact(owner: "pipeline", name: "path")?.text
    if owner == own { return }
    if let owner, access(owner, F_OK) == 0 {
      throw StoreError(
        file.path, .foreign,
        "it belongs to another pipeline called \(quoted(plan.name)), \(owner); give one of them another name, "
          + "or say --state FOLDER")
    }
    try file.update { (epoch) throws(StoreError) in
      try epoch.set(.text(own), owner: "pipeline", name: "path")
    }
  }

  private func absolute(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
