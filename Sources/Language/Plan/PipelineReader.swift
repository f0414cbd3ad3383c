import JSON
import System

/// The reader of pipeline files: collects the problems of all of them, and the plans of those without any.
///
///     var reader = PipelineReader(catalog: catalog)
///     reader.read(path: "pipelines/new-launches.yaml", bytes)
///     print(reader.problems)
public struct PipelineReader {
  public let catalog: Catalog
  /// The settings of `--set`, each a name and a text as YAML would have it.
  public var settings: [(name: String, text: String)] = []
  /// `$config`.
  public var config = JSON.Value.emptyObject
  /// Defaults for options, from the config: a mapping of kinds to options.
  public var defaults: YAMLNode?
  /// The values of `${NAME}` and the like.
  public var placeholders = Placeholders()
  /// The bytes of a file that a pipeline includes; throws an error that describes itself.
  public var readFile: (String) throws -> [UInt8] = { path in throw Unreadable(path: path) }
  /// Whether there is such a file, which is no folder.
  public var fileExists: (String) -> Bool = { _ in false }
  /// Whether there is a program of that name, or a script.
  public var commandExists: (_ name: String, _ isProgram: Bool) -> Bool = { _, _ in true }
  /// The path of the file of that name that is installed with flow; nil where there is none.
  public var installedFile: (String) -> String? = { _ in nil }
  public var timeZone: @Sendable (String) -> (any ZoneRules)? = { SystemZone($0) }
  public var defaultTimeZone = "UTC"

  public private(set) var problems = Problems()
  public private(set) var secrets = Secrets()
  public private(set) var plans: [Plan] = []
  /// Pipelines without errors that have no plan, because values are only known when they run.
  public private(set) var undecidedCount = 0
  /// The claims of nodes, in all the pipelines so far, and where.
  private var claimed: [String: SourceRange] = [:]
  /// Files that the pipelines refer to and that are next to them, relative to the pipeline's folder.
  public private(set) var filesReferred: [String] = []
  private var settingsUsed: Set<String> = []
  private var known: Set<String> = []
  /// The members of `$config` that the pipelines read.
  public private(set) var configRead: Set<String> = []

  struct Unreadable: Error {
    let path: String
  }

  public init(catalog: Catalog) { self.catalog = catalog }

  /// Reads one pipeline; whether it can be run.
  @discardableResult
  public mutating func read(path: String, _ bytes: [UInt8]) -> Bool {
    let document = YAMLDocument(SourceFile(path: path, bytes: bytes), placeholders)
    return read(document.root, document, document.problems)
  }

  /// Reads a pipeline whose nodes are those of a document; whether it can be run.
  @discardableResult
  mutating func read(_ root: YAMLNode?, _ document: YAMLDocument, _ problems: Problems) -> Bool {
    var found = problems
    var plan: Plan?
    if let root {
      var builder = PlanBuilder(root, document, self)
      plan = builder.build()
      found.add(builder.checker.problems)
      for claim in builder.checker.claims { note(claim, &found) }
      filesReferred += builder.checker.files.found
      settingsUsed.formUnion(builder.settingsUsed)
      known.formUnion(root.mapping?["vars"]?.value.mapping?.entries.map(\.key.text) ?? [])
      configRead.formUnion(builder.checker.configRead)
      secrets.add(builder.checker.secrets)
      secrets.add(document.secrets)
    }
    for place in found.dropErrors(within: document.unknowns) {
      found.report(
        Problem(
          "this value is only known when the pipeline runs, and is not checked", at: place, isWarning: true))
    }
    self.problems.add(found)
    guard found.isEmpty, let plan else {
      if found.isEmpty, !document.unknowns.isEmpty { undecidedCount += 1 }
      return false
    }
    plans.append(plan)
    return true
  }

  /// Names given with `--set` that no pipeline has among its `vars`.
  public var unknownSettings: [String] { settings.map(\.name).filter { !settingsUsed.contains($0) } }

  /// The vars of all pipelines.
  public var variables: [String] { known.sorted() }

  private mutating func note(_ claim: Checker.Claim, _ problems: inout Problems) {
    guard let other = claimed[claim.thing] else { return claimed[claim.thing] = claim.place }
    problems.report(
      "\(claim.conflict.message) already: \(other)", at: claim.place, hint: claim.conflict.hint)
  }
}

extension Secrets {
  public mutating func add(_ others: Secrets) {
    for text in others.all { insert(text) }
  }
}
