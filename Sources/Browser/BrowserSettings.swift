import Glibc
import JSON
import Fetch
import System

/// The settings of the browser: a config's `browser: { command: /usr/bin/chromium, sandbox: off }`.
public struct BrowserSettings: Sendable {
  /// Nil for the first of its usual names along PATH.
  public var command: String?
  public var hasSandbox = true
  /// The folder for what the browser writes while it runs.
  public var folder: String
  /// The folder for pictures of pages; nil where there is no state.
  public var pictures: String?
  /// How long it waits for another page.
  public var idleTime = Duration.seconds(60)
  /// After how many pages it is replaced.
  public var mostPages = 200
  /// The memory of all its processes from which on it is replaced; at twice as much it is ended.
  public var mostMemory = 1 << 30

  static let names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]

  public init(folder: String) { self.folder = folder }

  /// The error is a sentence about the config.
  public init(_ config: Value, folder: String) throws(Sentence) {
    self.folder = folder
    guard let given = config.member("browser"), given.kind != .null else { return }
    guard given.kind == .object else {
      throw Sentence("browser is a mapping, as in browser: { command: /usr/bin/chromium, sandbox: off }")
    }
    var members = given.members
    while let (name, value) = members.next() {
      switch name.string {
      case "command":
        guard let text = value.string, !text.isEmpty else { throw Sentence("browser: command is a program") }
        command = text
      // YAML 1.1 takes on and off for booleans, and 1.2 for texts.
      case "sandbox":
        switch value.string ?? value.description {
        case "off", "false": hasSandbox = false
        case "on", "true": hasSandbox = true
        default: throw Sentence("browser: sandbox is on or off")
        }
      default: throw Sentence("browser has no “\(excerpt(name.string ?? ""))”; it has command and sandbox")
      }
    }
  }

  /// The program; the error says what to install.
  @discardableResult public func program() throws(Sentence) -> String {
    let path = ProgramSearch.path([:])
    if let command {
      guard let found = try? ProgramSearch.find(command, along: path), access(found, X_OK) == 0 else {
        throw Sentence("there is no program \(command), which browser: { command: … } of the config names")
      }
      return found
    }
    for name in Self.names { if let found = try? ProgramSearch.find(name, along: path) { return found } }
    throw Sentence(
      "there is no Chromium on PATH: install the package chromium, or name one in config.yaml by browser: "
        + "{ command: /opt/chrome/chrome }")
  }

  /// Throws where it must not run: as root it has a sandbox only for others.
  func checkUser() throws(Sentence) {
    guard hasSandbox, geteuid() == 0 else { return }
    throw Sentence(
      "as root Chromium runs only without its sandbox: run flow as another user, or, where the machine is nothing "
        + "but this, write browser: { sandbox: off } in config.yaml")
  }
}
