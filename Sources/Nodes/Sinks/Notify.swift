import JSON
import Engine
import Language
import Store
import struct Reactive.Instant

/// `notify`: shows a notification for each event.
let notify = NodeSpec(
  "notify", "show a notification for each event, on the desktop or with a command",
  details: """
    `through: auto` uses the command if one is given, otherwise notify-send on a desktop, otherwise the terminal's \
    bell and a line in the log.

    With `at_most: 3 in 10m`, no more than three notifications are shown within any ten minutes. Further ones are \
    combined into a digest, with their number and the first titles, which is shown when the limit allows it or when \
    the pipeline ends.

    Simulated and replayed runs show no notifications without --live-sinks; --dry-run prints the notifications instead.
    """,
  options: AnyOption.list(
    NotifyOptions.title, NotifyOptions.body, NotifyOptions.through, NotifyOptions.command,
    NotifyOptions.urgency, NotifyOptions.atMost),
  shorthand: "title",
  state: "the digest that is waiting: a number and ten titles",
  isKept: true,
  examples: [
    .init("a title", #"notify: '\(.name) slipped'"#),
    .init(
      "with a rate limit",
      #"notify: { title: '\(.name)', body: 'now \(.net)', urgency: critical, at_most: 1 in 5m }"#),
    .init("with a command", #"notify: { title: '\(.name)', command: [./tell.sh, --quiet] }"#),
    .init("in the terminal, with its bell", #"notify: { title: '\(.name)', through: bell }"#),
  ],
  check: { options, checker in
    let (way, command) = (options[NotifyOptions.through], options[NotifyOptions.command])
    if way == .command, command.isEmpty {
      checker.report(
        "through: command needs a command", at: options.place(of: NotifyOptions.through),
        hint: "add command: [./notify.sh], which receives the title and the body as its last arguments")
    }
    if [.bell, .notifySend].contains(way), !command.isEmpty {
      checker.report(
        "command has no effect with through: \(way.rawValue)", at: options.place(of: NotifyOptions.command)
      )
    }
  },
  .sink { options, context in try Notify(options, context) })

private enum NotifyOptions {
  static let title = Option.required("title", .template, "the title", example: #"'\(.name)'"#)
  static let body = Option("body", .template, default: "''", "the text below the title")
  static let through = Option(
    "through", .choice(of: NotifyWay.Choice.self), default: "auto", "how to show it")
  static let command = Option(
    "command", .list(of: .text).referredCommand, default: "[]",
    "the command that shows it; the title and the body are its last two arguments",
    example: "[./tell.sh]")
  static let urgency = Option(
    "urgency", .choice(of: NotifyUrgency.self), default: "normal", "the urgency for notify-send")
  static let atMost = Option.optional(
    "at_most", AtMost.type, "how many may be shown in a period; further ones are combined into one",
    example: "1 in 5m")
}

private final class Notify: DeliverySink {
  private let title: Evaluation
  private let body: Evaluation
  private let way: NotifyWay
  private var window: NotifyWindow?
  /// The events that wait for a digest, stored for the next run.
  private let kept: NodeCell<Value>?
  private let context: SinkContext
  let queue: DeliveryQueue<CommandWorker>
  private var rings = false

  init(_ options: Options, _ context: SinkContext) throws {
    title = context.evaluation(options[NotifyOptions.title])
    body = context.evaluation(options[NotifyOptions.body])
    way = NotifyWay(
      options[NotifyOptions.through], options[NotifyOptions.command], options[NotifyOptions.urgency],
      context.lane.world)
    window = options[NotifyOptions.atMost].map { NotifyWindow($0) }
    kept = try context.outbox?.cell()
    if let before = kept?.value { window?.resume(before) }
    self.context = context
    queue = DeliveryQueue(DeliverySettings(), context, CommandWorker(context, delivers: .notification))
  }

  func take(_ event: Event) throws {
    let note = Note(title: try event.text(title), body: try event.text(body))
    try queue.suppress()
    if window?.take(note.title, at: context.now) == false {
      if let due = window?.due { context.alarm.set(at: due) }
    } else {
      try show(note, for: event)
    }
    keepWindow()
  }

  private func show(_ note: Note, for event: Event?) throws {
    if let arguments = way.arguments(note) {
      if context.isDryRun { return queue.dryRun.add(arguments) }
      return try queue.add(CommandTask(arguments: arguments, input: "", event: event))
    }
    let body = note.body.split(separator: "\n").joined(separator: "; ")
    let line = body.isEmpty ? note.title : "\(note.title): \(body)"
    if context.isDryRun { return queue.dryRun.add(line: line) }
    if let outbox = context.outbox { return outbox.put(Value.string(line).json, id: try outbox.nextID()) }
    ring(line)
  }

  private func ring(_ line: String) {
    context.log.notice(line)
    rings = true
  }

  func recover(_ entries: [OutboxEntry]) throws { try didCommit(entries) }

  func endReplay() {
    if let due = window?.due { context.alarm.set(at: due) }
  }

  func didCommit(_ entries: [OutboxEntry]) throws {
    if queue.isSuppressed { return }
    // An entry of a run that used another way of notifying is shown that way.
    for entry in entries {
      if let line = String(remembered: entry.bytes) {
        ring(line)
        context.outbox?.remove(entry.place)
      } else {
        try queue.run([entry])
      }
    }
    try soundBell()
  }

  func wake() throws {
    try queue.wake()
    try showDigest()
  }

  /// Shows the digest, once the limit allows it.
  private func showDigest(inAnyCase: Bool = false) throws {
    if queue.isSuppressed { return }
    if let digest = window?.digest(at: context.now, inAnyCase: inAnyCase) {
      keepWindow()
      try show(Note(title: "\(digest.count) more: \(context.pipeline)", body: digest.body), for: nil)
    } else if let due = window?.due {
      context.alarm.set(at: due)
    }
  }

  private func keepWindow() {
    if let window { kept?.set(window.remembered) }
  }

  func endTurn() throws {
    try soundBell()
    try queue.endTurn()
  }

  private func soundBell() throws {
    if rings, context.screen.isTerminal { try context.screen.write([7]) }
    rings = false
  }

  func close() throws { try showDigest(inAnyCase: true) }

  func finish(by deadline: Instant) throws {
    try soundBell()
    try queue.finish(by: deadline)
  }
}

extension String {
  /// The text of a JSON string.
  fileprivate init?(remembered bytes: [UInt8]) {
    guard let text = (try? Value.parse(bytes))?.string else { return nil }
    self = text
  }
}
