import System
import Engine
import Language

/// The channel of notifications: a desktop, the terminal's bell, or a command.
enum NotifyChannel: Sendable {
  case notifySend(NotifyUrgency)
  case bell
  case command([String])

  enum Choice: String, CaseIterable, Sendable {
    case auto
    case notifySend = "notify-send"
    case bell, command
  }

  /// The channel that was chosen or, for `auto`, the first that is available.
  init(_ choice: Choice, _ command: [String], _ urgency: NotifyUrgency, _ world: World) {
    switch choice {
    case .auto where !command.isEmpty, .command: self = .command(command)
    case .notifySend: self = .notifySend(urgency)
    case .bell: self = .bell
    case .auto: self = Self.hasDesktop(world) ? .notifySend(urgency) : .bell
    }
  }

  private static func hasDesktop(_ world: World) -> Bool {
    let signs = ["DISPLAY", "WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"]
    guard signs.contains(where: { world.environment($0)?.isEmpty == false }) else { return false }
    return (try? ProgramSearch.find("notify-send", along: world.environment("PATH") ?? "")) != nil
  }

  /// The command that shows a text; nil for the bell.
  func arguments(_ text: NotificationText) -> [String]? {
    switch self {
    case .command(let command): return command + [text.title, text.body]
    case .notifySend(let urgency):
      let options = ["--app-name=flow", "--urgency=\(urgency.rawValue)", "--"]
      // Desktops interpret a body as markup; some that do not would show other entities.
      return ["notify-send"] + options + [text.title, markup(text.body, escaping: .brackets)]
    case .bell: return nil
    }
  }
}

enum NotifyUrgency: String, CaseIterable, Sendable { case low, normal, critical }

/// The text of a notification, short and printable.
struct NotificationText {
  private static let longestTitle = 200
  private static let longestBody = 2000

  let title: String
  let body: String

  init(title: String, body: String) {
    self.title = printable(NotificationText.cut(title, NotificationText.longestTitle))
    self.body = printableLines(NotificationText.cut(body, NotificationText.longestBody))
  }

  private static func cut(_ text: String, _ limit: Int) -> String {
    text.utf8.count <= limit || text.count <= limit ? text : String(text.prefix(limit)) + "…"
  }
}
