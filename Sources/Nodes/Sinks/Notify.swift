import JSON
import Engine
import Language
import Store
import System
import Reactive

/// `notify`: shows a notification for each event.
let notify = NodeSpec(
  "notify",
  "send a notification for each event: to a phone, a chat, by mail, on the desktop or with a command",
  details: """
    `to` names a service:

    \(NotifyService.all.map { "    \($0.form)" }.joined(separator: "\n"))

    Webhooks of Slack, Discord and Teams are their address with the service in place of https. `+http` behind the \
    service, as in ntfy+http://10.0.0.2/alerts, uses plain HTTP, for a server in your own network. telegram and \
    pushover take ?server=https://HOST for another server with the same interface. For mail, \
    smtps:// encrypts from the start, smtp:// by STARTTLS, without which only a server on this machine is accepted; \
    special characters in user name and password are percent-encoded (@ is %40); from= names the sender if it differs from \
    the user. Keep addresses with keys in the environment or in config.yaml: `to: ${PHONE}`, `to: $config.phone`. Keys \
    are never shown or stored. Each service gets what it can show of priority, link, picture and tags. \
    A failed message is retried after `backoff`, or when the service's Retry-After demands, \
    across restarts with the same id; after the last attempt it is a dead letter: see flow state dead. \
    flow notify TO TEXT sends one to try a destination.

    Without `to`, `through: auto` uses the command if one is given, otherwise notify-send on a desktop, otherwise the terminal's \
    bell and a line in the log.

    With `at_most: 3 in 10m`, no more than three notifications are shown within any ten minutes. Further ones are \
    combined into a digest, with their number and the first titles, which is shown when the limit allows it or when \
    the pipeline ends.

    With `quiet: 22:00-07:00` notifications of these hours are held and sent at their end, several as one digest. With \
    `digest: daily at 8` all are, at that time; other forms are hourly, weekdays at 8:30 and weekly on monday at 8. Times are in the \
    time zone of the pipeline. The templates `digest_title` and `digest_body` see {count, notes}, notes being a list of \
    {title, body, link, picture, priority, tags} with the first hundred; `digest_body` is by default their titles. \
    Where the pipeline has state, what is held is sent by a later run if need be; without state, at the end of the run.

    Simulated and replayed runs show no notifications without --live-sinks; --dry-run prints the notifications instead.
    """,
  options: AnyOption.list(
    NotifyOptions.title, NotifyOptions.body, NotifyOptions.to, NotifyOptions.priority, NotifyOptions.link,
    NotifyOptions.picture, NotifyOptions.tags, NotifyOptions.through, NotifyOptions.command,
    NotifyOptions.urgency, NotifyOptions.atMost)
    + AnyOption.list(
      NotifyOptions.attempts, DeliveryOptions.backoff, NotifyOptions.timeout, NotifyOptions.quiet,
      NotifyOptions.digest, NotifyOptions.digestTitle, NotifyOptions.digestBody),
  shorthand: "title",
  state:
    "the digest that is waiting: a number and ten titles, or with quiet or digest a hundred notifications",
  isKept: true,
  examples: [
    .init("a title", #"notify: '\(.name) slipped'"#),
    .init("to a phone", #"notify: { to: 'ntfy://ntfy.sh/my-launches', title: '\(.name) slipped' }"#),
    .init(
      "to a chat, with all that services show",
      #"""
      notify:
        to: ${CHAT:-telegram://123456:TOKEN/-100200300}
        title: '\(.name)'
        body: 'now \(.net)'
        priority: '\(if .status == "Hold" then "high" else "normal" end)'
        link: '\(.url)'
        picture: '\(.image)'
        tags: [rocket, '\(.status)']
        attempts: 100
        backoff: 10s
        timeout: 1m
      """#),
    .init(
      "by mail",
      #"notify: { to: '${MAIL:-mailto:me@example.org?server=smtps://me:secret@smtp.example.org}', title: '\(.name)' }"#
    ),
    .init(
      "with a rate limit",
      #"notify: { title: '\(.name)', body: 'now \(.net)', urgency: critical, at_most: 1 in 5m }"#),
    .init("silent at night", #"notify: { title: '\(.name)', quiet: 22:00-07:00 }"#),
    .init(
      "once a day",
      #"""
      notify:
        title: '\(.name)'
        digest: daily at 8
        digest_title: '\(.count) launches'
        digest_body: '\(.notes | map("- " + .title) | join("\n"))'
      """#),
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
    NotifyOptions.checkService(options, checker)
    NotifyOptions.checkDigest(options, checker)
  },
  .sink { options, context in try Notify(options, context) })

private enum NotifyOptions {
  static let title = Option.required("title", .template, "the title", example: #"'\(.name)'"#)
  static let body = Option("body", .template, default: "''", "the text below the title")
  static let to = Option.optional(
    "to", Destination.type, "the service to send it to, as an address", example: "ntfy://ntfy.sh/my-launches")
  static let priority = Option(
    "priority", .template, default: "normal", "with to: min, low, normal, high or urgent, or 1 to 5",
    example: "high")
  static let link = Option(
    "link", .template, default: "''", "with to: the page that it opens", example: #"'\(.url)'"#)
  static let picture = Option(
    "picture", .template, default: "''", "with to: the address of a picture", example: #"'\(.image)'"#)
  static let tags = Option(
    "tags", .list(of: .template), default: "[]", "with to: short words; empty ones are left out",
    example: "[rocket]")
  static let attempts = Option.optional(
    "attempts", .integer(1...100), "the number of attempts (default: 20 with to, otherwise 1)", example: "5")
  static let timeout = Option("timeout", .duration, default: "30s", "with to: the time limit of an attempt")
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

  static let quiet = Option.optional(
    "quiet", QuietHours.type, "the hours in which nothing is sent", example: "22:00-07:00")
  static let digest = Option.optional(
    "digest", DigestTimes.type, "when to send what was collected, as one", example: "daily at 8")
  static let digestTitle = Option.optional(
    "digest_title", .template, "the title of a digest, from {count, notes}", example: #"'\(.count) launches'"#
  )
  static let digestBody = Option.optional(
    "digest_body", .template, "the text of a digest, from {count, notes}",
    example: #"'\(.notes | map(.title) | join(", "))'"#)

  /// When notifications are held back; nil where they never are.
  static func schedule(_ options: Options) -> NotifySchedule? {
    let (quiet, digest) = (options[quiet], options[digest])
    guard quiet != nil || digest != nil else { return nil }
    let zone: (any ZoneRules)? = SystemZone(options[title].expression.scope.timeZone)
    return NotifySchedule(quiet: quiet, digest: digest, zone: zone ?? UniversalTime())
  }

  static func checkDigest(_ options: Options, _ checker: Checker) {
    if options.isGiven(quiet) || options.isGiven(digest) { return }
    for option in [digestTitle, digestBody] where options.isGiven(option) {
      checker.report("\(option.name) has no effect without digest or quiet", at: options.place(of: option))
    }
  }

  /// Reports options that need a service and have none, or the reverse.
  static func checkService(_ options: Options, _ checker: Checker) {
    func report(_ name: String, _ place: SourceRange, _ reason: String, hint: String? = nil) {
      checker.report("\(name) has no effect \(reason)", at: place, hint: hint)
    }
    let hasService = options.isGiven(to)
    let services = [
      ("priority", options.isGiven(priority), options.place(of: priority)),
      ("link", options.isGiven(link), options.place(of: link)),
      ("picture", options.isGiven(picture), options.place(of: picture)),
      ("tags", options.isGiven(tags), options.place(of: tags)),
      ("timeout", options.isGiven(timeout), options.place(of: timeout)),
    ]
    let local = [
      ("through", options.isGiven(through), options.place(of: through)),
      ("command", options.isGiven(command), options.place(of: command)),
      ("urgency", options.isGiven(urgency), options.place(of: urgency)),
    ]
    for (name, isGiven, place) in hasService ? local : services where isGiven {
      report(
        name, place, hasService ? "with to" : "without to",
        hint: hasService && name == "urgency" ? "use priority" : nil)
    }
  }

  /// How messages for a service are delivered; commands are tried as often as `attempts` says, by default once.
  static func settings(_ options: Options) -> DeliverySettings {
    DeliverySettings(
      attempts: options[attempts] ?? (options[to] == nil ? 1 : 20), backoff: options[DeliveryOptions.backoff])
  }
}

private struct UniversalTime: ZoneRules {
  func offset(at moment: Int) -> Int { 0 }
}

/// The parts of a message that depend on the event.
private struct MessageReading {
  let priority: Evaluation
  let link: Evaluation
  let picture: Evaluation
  let tags: [Evaluation]

  init(_ options: Options, _ context: SinkContext) {
    priority = context.evaluation(options[NotifyOptions.priority])
    link = context.evaluation(options[NotifyOptions.link])
    picture = context.evaluation(options[NotifyOptions.picture])
    tags = options[NotifyOptions.tags].map { context.evaluation($0) }
  }

  func read(_ event: Event, into message: inout Message) throws {
    message.priority = try Message.priority(try event.text(priority))
    message.link = try Message.link(try event.text(link), "link")
    message.picture = try Message.link(try event.text(picture), "picture")
    message.tags = try tags.map { printable(try event.text($0)) }.filter { !$0.isEmpty && $0 != "null" }
  }
}

private final class Notify: DeliverySink {
  private let title: Evaluation
  private let body: Evaluation
  private let way: NotifyWay
  private var window: NotifyWindow?
  private let schedule: NotifySchedule?
  private var held = HeldNotes()
  private let digestTitle: Evaluation?
  private let digestBody: Evaluation?
  /// The events that wait for a digest, stored for the next run.
  private let kept: NodeCell<Value>?
  private let context: SinkContext
  /// Nil where notifications are not for a service.
  private let service: MessageReading?
  let queue: DeliveryQueue<NotifyWorker>
  private var rings = false

  init(_ options: Options, _ context: SinkContext) throws {
    title = context.evaluation(options[NotifyOptions.title])
    body = context.evaluation(options[NotifyOptions.body])
    way = NotifyWay(
      options[NotifyOptions.through], options[NotifyOptions.command], options[NotifyOptions.urgency],
      context.lane.world)
    window = options[NotifyOptions.atMost].map { NotifyWindow($0) }
    kept = try context.outbox?.cell()
    schedule = NotifyOptions.schedule(options)
    digestTitle = options[NotifyOptions.digestTitle].map { context.evaluation($0) }
    digestBody = options[NotifyOptions.digestBody].map { context.evaluation($0) }
    if let before = kept?.value {
      window?.resume(before)
      if let notes = before.member("held") { held = HeldNotes(remembered: notes) }
    }
    self.context = context
    service = options[NotifyOptions.to].map { _ in MessageReading(options, context) }
    let worker = try NotifyWorker(
      to: options[NotifyOptions.to], timeout: options[NotifyOptions.timeout], context)
    queue = DeliveryQueue(NotifyOptions.settings(options), context, worker)
  }

  func take(_ event: Event) throws {
    var message = Message(title: try event.text(title), body: try event.text(body))
    try service?.read(event, into: &message)
    try queue.suppress()
    try release()
    if let until = schedule?.hold(at: context.lane.now), !context.isDryRun {
      held.add(message, until: until)
      keepWindow()
      setAlarm()
    } else {
      try pass(message, event)
    }
  }

  /// Sends a notification, unless it must wait for the limit.
  private func pass(_ message: Message, _ event: Event?) throws {
    if window?.take(message.title, at: context.now) == false {
      setAlarm()
    } else {
      try show(message, for: event)
    }
    keepWindow()
  }

  /// Sends what was held, once its time has come.
  private func release(inAnyCase: Bool = false) throws {
    guard let until = held.until, inAnyCase || context.lane.now >= until else { return }
    let notes = held
    held = HeldNotes()
    keepWindow()
    if notes.count == 1, schedule?.digest == nil, let message = notes.messages.first {
      return try pass(message, nil)
    }
    let event = Event(notes.value, Poll(source: "", at: context.lane.now))
    let titles = notes.messages.map(\.title)
    let more = notes.count - titles.count
    let list = (titles + (more > 0 ? ["… and \(more) more"] : [])).joined(separator: "\n")
    try pass(
      Message(
        title: try digestTitle.map { try event.text($0) }
          ?? "\(notes.count) notification\(notes.count == 1 ? "" : "s")",
        body: try digestBody.map { try event.text($0) } ?? list), nil)
  }

  /// Wakes the sink for what waits; the wall clock may be set meanwhile, so not too late.
  private func setAlarm() {
    var times = [window?.due].compactMap(\.self)
    if let until = held.until {
      times.append(context.now + .seconds(min(max(0, until - context.lane.now), 600)))
    }
    if let first = times.min() { context.alarm.set(at: first) }
  }

  private func show(_ message: Message, for event: Event?) throws {
    if service != nil {
      if context.isDryRun { return try queue.worker.show(message, in: &queue.dryRun) }
      return try queue.add(.message(message, event))
    }
    let note = Note(title: message.title, body: message.body)
    if let arguments = way.arguments(note) {
      if context.isDryRun { return queue.dryRun.add(arguments) }
      return try queue.add(.command(CommandTask(arguments: arguments, input: "", event: event)))
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

  func endReplay() { setAlarm() }

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
    if !queue.isSuppressed { try release() }
    try showDigest()
    setAlarm()
  }

  /// Shows the digest, once the limit allows it.
  private func showDigest(inAnyCase: Bool = false) throws {
    if queue.isSuppressed { return }
    if let digest = window?.digest(at: context.now, inAnyCase: inAnyCase) {
      keepWindow()
      try show(Message(title: "\(digest.count) more: \(context.pipeline)", body: digest.body), for: nil)
    }
  }

  private func keepWindow() {
    guard window != nil || schedule != nil else { return }
    var value = window?.remembered ?? .emptyObject
    if schedule != nil { value.setMember("held", held.remembered) }
    kept?.set(value)
  }

  func endTurn() throws {
    try soundBell()
    try queue.endTurn()
  }

  private func soundBell() throws {
    if rings, context.screen.isTerminal { try context.screen.write([7]) }
    rings = false
  }

  func close() throws {
    if queue.isSuppressed { return }
    try release(inAnyCase: kept == nil)
    try showDigest(inAnyCase: true)
  }

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
