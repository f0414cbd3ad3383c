import Connectors
import Engine
import Fetch
import Language
import Reactive
import Store
import System

/// `flow notify`: sends one notification, to try a destination.
enum NotifyCommand {
  static let body = CommandOption("body", .value("TEXT"), "the text below the title")
  static let priority = CommandOption(
    "priority", .choice(SingleNotification.priorities), "the priority (normal)")
  static let link = CommandOption("link", .value("URL"), "the page that it opens")
  static let picture = CommandOption("picture", .value("URL"), "the address of a picture")
  static let tag = CommandOption("tag", .value("WORD"), "a tag; may be repeated")

  static let manual = Manual(
    "notify", "send one notification, to try a destination", operands: .one("TEXT").after("TO"),
    options: [body, priority, link, picture, tag, PipelineFiles.config],
    about: """
      TO is what the sink notify takes as its option to: see flow docs notify. Other users of the machine can read \
      the arguments of a command, so name a destination with keys in config.yaml and write '$config.NAME' here.

      The exit status is 0 when the service has accepted the message.
      """,
    examples: [
      ("flow notify ntfy://ntfy.sh/my-launches hello", "to a phone"),
      ("flow notify '$config.chat' 'Heron 9 slipped' --priority high", "a destination from config.yaml"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let to = try destination(arguments.operands[0], arguments)
    let notification: SingleNotification
    do throws(Sentence) {
      notification = try SingleNotification(
        to: to, title: arguments.operands[1], body: arguments.text(body) ?? "",
        priority: arguments.text(priority) ?? "normal", link: arguments.text(link) ?? "",
        picture: arguments.text(picture) ?? "", tags: arguments.texts(tag))
    } catch {
      throw WrongUse("\(error)")
    }
    var secrets = Secrets()
    for secret in notification.secrets { secrets.insert(secret) }
    do {
      let now = World.real.wallClock()
      let client = try Client.ofCommand("notify", hiding: Array(secrets.all))
      try notification.send(by: client, id: "flow-notify/\(Int(now * 1000))", at: now)
    } catch {
      Terminal.complain("flow notify: \(secrets.masked("\(error)"))\n")
      return ExitStatus.failed
    }
    Terminal.say("sent\n")
    return ExitStatus.done
  }

  /// The destination, looked up in the config where it is `$config.NAME`.
  private static func destination(_ given: String, _ arguments: Arguments) throws(WrongUse) -> String {
    guard given.hasPrefix("$config.") else { return given }
    let config = ConfigFile(
      beside: "./pipeline.yaml", named: arguments.text(PipelineFiles.config),
      PlaceholderValues(isForRun: true))
    if let complaint = config.complaint { throw WrongUse(complaint) }
    let name = String(given.dropFirst("$config.".count))
    let found = name.split(separator: ".").reduce(Optional(config.value)) { $0?.member(String($1)) }
    if let text = found?.string { return text }
    throw WrongUse("config.yaml has no text called \(quoted(name))")
  }
}
