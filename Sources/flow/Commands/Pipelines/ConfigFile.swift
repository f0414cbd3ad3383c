import Browser
import Delivery
import Glibc
import JSON
import Engine
import Language
import System

/// `config.yaml`: settings shared by pipelines, visible as `$config`.
struct ConfigFile {
  private(set) var value = JSON.Value.emptyObject
  /// Defaults for options of nodes; hidden from expressions, since they may contain keys.
  private(set) var defaults: YAMLNode?
  /// The names of all its members.
  private(set) var keys: [Scalar] = []
  private(set) var problems = Problems()
  /// The values of placeholders in it.
  private(set) var secrets = Secrets()
  /// The file, and what is in it.
  private(set) var file: (path: String, bytes: [UInt8])?
  /// Its nodes.
  private(set) var document: YAMLDocument?
  /// Why the given file cannot be read.
  private(set) var complaint: String?

  /// Searched next to the pipeline, then in the configuration folder; a file that is given must exist.
  init(beside pipeline: String, named name: String?, _ values: PlaceholderValues) {
    let candidates = name.map { [$0] } ?? Self.places(beside: pipeline)
    guard let path = candidates.first(where: { access($0, F_OK) == 0 }) ?? name else { return }
    do {
      let bytes = try readFile(path, limit: Limits().bytes)
      file = (path, bytes)
      let document = YAMLDocument(
        SourceFile(path: path, bytes: bytes), mayBeEmpty: true, values.placeholders(in: path))
      self.document = document
      problems = document.problems
      secrets = document.secrets
      guard let root = document.root, root.value.kind != .null else { return }
      guard case .mapping(var mapping) = root else {
        problems.report("config must be a mapping of names to values, not \(root.kind)", at: root.place)
        return
      }
      keys = mapping.entries.map(\.key)
      defaults = mapping["defaults"]?.value
      let areAlerts = PipelineReader.alerts(in: document) != nil
      mapping.entries.removeAll { $0.key.text == "defaults" || areAlerts && $0.key.text == Plan.alerts }
      value = YAMLNode.mapping(mapping).value
      reportBudgets()
      reportBrowser()
    } catch {
      complaint = "\(error)"
    }
  }

  /// Reports a budget that cannot be read.
  private mutating func reportBudgets() {
    guard let key = keys.first(where: { $0.text == "budgets" }) else { return }
    do throws(TextError) { _ = try WebAccess.budgets(of: value) } catch {
      problems.report(error.message, at: key.place, hint: error.hint)
    }
  }

  /// Reports settings of the browser that cannot be read.
  private mutating func reportBrowser() {
    guard let key = keys.first(where: { $0.text == "browser" }) else { return }
    do throws(Sentence) { _ = try BrowserSettings(value, folder: "") } catch {
      problems.report("\(error)", at: key.place)
    }
  }

  /// The members that flow reads itself.
  static let settings = ["time_zone", "budgets", "browser", "state", "defaults", "releases", Plan.alerts]

  /// Reports members that look like a misspelt setting and that no pipeline reads as `$config`.
  func misspelt(besides read: Set<String>) -> Problems {
    var problems = Problems()
    for key in keys where !Self.settings.contains(key.text) && !read.contains(key.text) {
      // A beginning such as `time` is a name of its own.
      guard let near = nearest(to: key.text, among: Self.settings), near.count - key.text.count <= 2 else {
        continue
      }
      problems.report(
        "unknown setting \(quoted(key.text)), which no pipeline reads as $config.\(printable(key.text))",
        at: key.place, hint: "did you mean \(quoted(near))?")
    }
    return problems
  }

  private static func places(beside pipeline: String) -> [String] {
    let folder = pipeline.lastIndex(of: "/").map { String(pipeline[..<$0]) } ?? "."
    let home = Terminal.environment("HOME") ?? ""
    let general = Terminal.environment("XDG_CONFIG_HOME") ?? "\(home)/.config"
    return ["\(folder)/config.yaml", "./config.yaml", "\(general)/flow/config.yaml"]
  }

  /// The default zone of local times and schedules: that of the config, of TZ, or of the machine.
  var timeZone: String {
    value.member("time_zone")?.string ?? Terminal.environment("TZ").flatMap { $0.isEmpty ? nil : $0 }
      ?? Self.machineZone.flatMap { SystemZone.isLocal($0) ? $0 : nil } ?? "UTC"
  }

  var hasTimeZone: Bool { value.member("time_zone")?.string != nil }

  /// `/etc/localtime` is a link into the folder of zones.
  private static var machineZone: String? {
    let buffer = UnsafeMutablePointer<CChar>.allocate(capacity: 4096)
    defer { buffer.deallocate() }
    let count = readlink("/etc/localtime", buffer, 4095)
    guard count > 0 else { return nil }
    buffer[count] = 0
    let parts = String(cString: buffer).split(separator: "/")
    guard let start = parts.firstIndex(of: "zoneinfo") else { return nil }
    return parts[(start + 1)...].joined(separator: "/")
  }
}
