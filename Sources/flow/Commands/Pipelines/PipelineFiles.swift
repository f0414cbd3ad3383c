import JSON
import Nodes
import Engine
import Language
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
  let problems: Problems
  let secrets: Secrets
  /// The time zones in configs.
  private let configZones: [String]
  /// Errors in the command line and in reading the files, each a sentence.
  let complaints: [String]

  var isRight: Bool { problems.isEmpty && complaints.isEmpty }

  init(_ paths: [String], _ arguments: Arguments) throws(WrongUse) {
    var reader = PipelineReader(catalog: .all)
    reader.environment = { Terminal.environment($0) }
    reader.readFile = { path in try Self.contents(path) }
    reader.fileExists = InstalledPipelines.isFile
    for setting in arguments.texts(Self.set) {
      let parts = setting.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, !parts[0].isEmpty else {
        throw WrongUse("--set takes NAME=VALUE, not \(quoted(setting))")
      }
      reader.settings.append((String(parts[0]), String(parts[1])))
    }
    var complaints: [String] = []
    var configZones: [String] = []
    var secrets = Secrets()
    var extra = Problems()
    var configs: [ConfigFile] = []
    for operand in paths {
      let path = InstalledPipelines.path(of: operand)
      let bytes: [UInt8]
      do { bytes = try Self.contents(path) } catch {
        complaints.append("\(error)" + (InstalledPipelines.hint(for: operand).map { "; \($0)" } ?? ""))
        continue
      }
      let config = ConfigFile(beside: path, named: arguments.text(Self.config))
      configs.append(config)
      extra.add(config.problems)
      secrets.add(config.secrets)
      if let complaint = config.complaint { complaints.append(complaint) }
      reader.config = config.value
      reader.defaults = config.defaults
      reader.defaultTimeZone = config.timeZone
      if config.hasTimeZone { configZones.append(config.timeZone) }
      reader.read(path: path == "-" ? "<stdin>" : path, bytes)
    }
    for name in reader.unknownSettings where complaints.isEmpty {
      complaints.append("--set \(name): none of the pipelines has a var \(quoted(name))")
    }
    for config in configs { extra.add(config.misspelt(besides: reader.configRead)) }
    extra.add(reader.problems)
    plans = reader.plans
    problems = extra
    secrets.add(reader.secrets)
    self.secrets = secrets
    self.complaints = complaints
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

  private static func contents(_ path: String) throws -> [UInt8] {
    try readFile(path, limit: Limits().bytes)
  }

  /// Reports all errors.
  func complain() {
    for complaint in complaints { Terminal.complain("flow: \(complaint)\n") }
    if problems.isEmpty { return }
    Terminal.complain(problems.description(masking: secrets) + "\n")
    Terminal.complain("\(problems.count) problem\(problems.count == 1 ? "" : "s")\n")
  }
}
