import AllNodes
import Glibc
import JSON
import Engine
import Language
import Reactive
import Store
import System

/// Reads the pipeline files given to a command, with their config and the settings of `--set`.
struct PipelineFiles {
  static let set = CommandOption(
    "set", .value("NAME=VALUE"),
    "set one of the pipeline's vars, with VALUE as in YAML; may be repeated")
  static let config = CommandOption(
    "config", .path("FILE"),
    "the config file, instead of config.yaml next to the pipeline or in ~/.config/flow")

  let plans: [Plan]
  /// The pipelines that send alerts, of each config that has `alerts`, with the paths of those that it is about.
  let alerts: [(plan: Plan, paths: Set<String>)]
  let problems: Problems
  let secrets: Secrets
  /// Pipelines without errors that have no plan, because values are only known when they run.
  let undecidedCount: Int
  /// The variables of the environment that the pipelines and their config name.
  let variables: [String]
  /// The time zones in configs.
  private let configZones: [String]
  /// The files of each pipeline, by its path: its own, its config, those it includes, with their bytes.
  let inputs: [String: [String: [UInt8]]]
  /// The paths of all files that were read.
  var paths: Set<String> { Set(inputs.values.flatMap(\.keys)) }
  /// Errors in the command line and in reading the files, each a sentence.
  let complaints: [String]
  /// Which files were taken for names, each a sentence.
  private let taken: [String]
  private let isQuiet: Bool

  var isRight: Bool { problems.isEmpty && complaints.isEmpty }
  /// Reports that pipelines without errors cannot be examined, if there are such.
  var isDecided: Bool {
    if undecidedCount > 0 {
      Terminal.complain(
        "\(Self.count(undecidedCount, "pipeline")) cannot be planned: values come from variables, commands or credentials that only flow run has\n"
      )
    }
    return undecidedCount == 0
  }

  /// `isForRun` where commands may run for the values of placeholders, `mayLack` where they may be missing; `isSet` where `--set` is for these pipelines.
  init(
    _ given: [String], _ arguments: Arguments, isForRun: Bool = false, mayLack: Bool = false,
    isSet: Bool = true
  ) throws(WrongUse) {
    let paths = try Self.expanded(given)
    var reader = PipelineReader(catalog: .all)
    let values = PlaceholderValues(isForRun: isForRun, mayLack: mayLack)
    let read = Locked<[String: [UInt8]]>([:])
    reader.readFile = { path in
      let bytes = try Self.contents(path)
      read.withLock { $0[path] = bytes }
      return bytes
    }
    var inputs: [String: [String: [UInt8]]] = [:]
    reader.fileExists = InstalledPipelines.isFile
    reader.installedFile = InstalledPipelines.file
    reader.commandExists = { name, isProgram in
      if !isProgram { return InstalledPipelines.isFile(name) }
      let path = try? ProgramSearch.find(name, along: ProgramSearch.path([:]))
      return path.map { access($0, X_OK) == 0 && InstalledPipelines.isFile($0) } ?? false
    }
    for setting in isSet ? arguments.texts(Self.set) : [] {
      let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw WrongUse("--set takes NAME=VALUE, not \(quoted(setting))")
      }
      reader.settings.append((String(parts[0]), String(parts[1])))
    }
    var (complaints, taken): ([String], [String]) = ([], [])
    var configZones: [String] = []
    var secrets = Secrets()
    var extra = Problems()
    var configs: [(pipeline: String, file: ConfigFile)] = []
    for operand in paths {
      let path = Self.path(of: operand, arguments)
      if path != operand { taken.append("\(quoted(operand)) is the pipeline \(path)") }
      let bytes: [UInt8]
      do { bytes = try Self.contents(path) } catch {
        complaints.append("\(error)" + (InstalledPipelines.hint(for: operand).map { "; \($0)" } ?? ""))
        continue
      }
      let config = ConfigFile(beside: path, named: arguments.text(Self.config), values)
      configs.append((path, config))
      extra.add(config.problems)
      secrets.add(config.secrets)
      if let complaint = config.complaint { complaints.append(complaint) }
      reader.placeholders = values.placeholders(in: path)
      reader.config = config.value
      reader.defaults = config.defaults
      reader.defaultTimeZone = config.timeZone
      if config.hasTimeZone { configZones.append(config.timeZone) }
      read.withLock { $0 = [path: bytes] }
      if let (path, bytes) = config.file { read.withLock { $0[path] = bytes } }
      reader.read(path: path == "-" ? "<stdin>" : path, bytes)
      inputs[path] = read.withLock { $0 }
    }
    for name in reader.unknownSettings where complaints.isEmpty {
      let known = reader.variables
      let all = known.isEmpty ? "none has vars" : "there is \(known.map(quoted).joined(separator: ", "))"
      let hint = nearest(to: name, among: known).map { "did you mean \(quoted($0))? (\(all))" } ?? all
      complaints.append("--set \(name): none of the pipelines has a var \(quoted(name)); \(hint)")
    }
    alerts = Self.alerts(of: configs, &extra, &secrets)
    undecidedCount = reader.undecidedCount
    for (_, config) in configs { extra.add(config.misspelt(besides: reader.configRead)) }
    extra.add(reader.problems)
    plans = reader.plans
    self.inputs = inputs
    variables = values.variables
    problems = extra
    secrets.add(reader.secrets)
    self.secrets = secrets
    self.complaints = complaints
    self.taken = taken
    isQuiet = arguments.has(RunLog.quiet)
    self.configZones = configZones
  }

  /// Whether the time zones that the pipelines and their config name are known on this machine; each other is reported.
  ///
  /// What only TZ names, and no pipeline asks for, is UTC where it is unknown, as in the C library.
  var hasTimeZones: Bool {
    let named = plans.filter(\.hasTimeZone).map(\.timeZone) + configZones
    let unknown = Set(named.filter { !SystemZone.isLocal($0) }).sorted()
    for name in unknown {
      Terminal.complain(
        "flow: there is no time zone \(quoted(name)); zones are named as in Europe/Warsaw or UTC\n")
    }
    return unknown.isEmpty
  }

  /// The pipelines that send alerts, one for each config.
  private static func alerts(
    of configs: [(pipeline: String, file: ConfigFile)], _ problems: inout Problems, _ secrets: inout Secrets
  ) -> [(plan: Plan, paths: Set<String>)] {
    let files = Dictionary(grouping: configs) { $0.file.file?.path ?? "" }
    return files.sorted { $0.key < $1.key }.compactMap { _, configs in
      guard let config = configs.first?.file, let document = config.document else { return nil }
      var reader = PipelineReader(catalog: .all)
      reader.fileExists = InstalledPipelines.isFile
      reader.config = config.value
      reader.defaultTimeZone = config.timeZone
      reader.readAlerts(of: document)
      problems.add(reader.problems)
      secrets.add(reader.secrets)
      return reader.plans.first.map {
        ($0, Set(configs.map { $0.pipeline == "-" ? "<stdin>" : $0.pipeline }))
      }
    }
  }

  /// The paths, a folder being the pipelines in it.
  private static func expanded(_ given: [String]) throws(WrongUse) -> [String] {
    var paths: [String] = []
    for path in given {
      var status = stat()
      guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFDIR else {
        paths.append(path)
        continue
      }
      let names = ((try? namesOfFiles(in: path)) ?? []).sorted().filter {
        ($0.hasSuffix(".yaml") || $0.hasSuffix(".yml")) && $0 != "config.yaml" && !$0.hasPrefix(".")
      }
      if names.isEmpty { throw WrongUse("there is no pipeline in \(path): a file NAME.yaml") }
      let folder = path.hasSuffix("/") ? path : path + "/"
      paths += names.map { folder + $0 }
    }
    return paths
  }

  /// The file that an operand means: itself, the file of that name in this folder, an installed pipeline, or the one
  /// whose state has that name.
  private static func path(of operand: String, _ arguments: Arguments) -> String {
    if operand.contains("/") || operand == "-" || InstalledPipelines.isFile(operand) { return operand }
    let installed = InstalledPipelines.path(of: operand)
    if let own = InstalledPipelines.suffixes.map({ operand + $0 }).first(where: InstalledPipelines.isFile) {
      return own
    }
    guard installed == operand, let states = try? StateFiles(arguments), states.names.contains(operand),
      let reader = try? StateReader(path: states.path(of: operand)),
      let file = (try? StateSummary(operand, reader))?.pipeline, InstalledPipelines.isFile(file)
    else { return installed }
    return file
  }

  private static func contents(_ path: String) throws -> [UInt8] {
    try readFile(path, limit: Limits().bytes)
  }

  /// Reports all errors as messages of a log.
  func complain(to log: Log) {
    let log = NodeLog(log: log, pipeline: "", node: "")
    for note in taken { log.notice(note) }
    for complaint in complaints { log.error(complaint) }
    if problems.isEmpty { return }
    log.error(
      "\(problems.count) problem\(problems.count == 1 ? "" : "s")",
      details: [problems.description(masking: secrets)])
  }

  /// Reports all errors, and the warnings where they are wanted.
  func complain(withWarnings: Bool = false) {
    if !isQuiet { for note in taken { Terminal.complain("flow: \(printable(note))\n") } }
    for complaint in complaints { Terminal.complain("flow: \(complaint)\n") }
    let paint = Paint(isOn: Paint.isWanted(isTerminal: Terminal.isTerminal(2)) { Terminal.environment($0) })
    let text = problems.description(masking: secrets, withWarnings: withWarnings, paint)
    // With styles it is printable already.
    if !text.isEmpty { paint.isOn ? Terminal.passOn(text + "\n") : Terminal.complain(text + "\n") }
    if problems.isEmpty { return }
    let warnings = withWarnings ? Self.count(problems.warnings.count, "warning", prefix: ", ") : ""
    Terminal.complain("\(Self.count(problems.count, "problem"))\(warnings)\n")
  }

  /// `2 warnings`; nothing for none.
  static func count(_ number: Int, _ noun: String, prefix: String = "") -> String {
    number == 0 ? "" : "\(prefix)\(number) \(noun)\(number == 1 ? "" : "s")"
  }
}
