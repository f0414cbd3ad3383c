import Delivery
import JSON
import Engine
import Language
import Store
import System
import Reactive

/// `notify`: shows a notification for each event.
package let notify = NodeSpec(
  "notify",
  "send a notification for each event: to a phone, a chat, by mail, on the desktop or with a command",
  reference: .init(
    PackageResources.notify_md,
    sharing: ["services": NotifyService.all.map { "    \($0.form)" }.joined(separator: "\n")]),
  options: AnyOption.list(
    NotifyOptions.title, NotifyOptions.body, NotifyOptions.to, NotifyOptions.priority, NotifyOptions.link,
    NotifyOptions.picture, NotifyOptions.tags, NotifyOptions.through, NotifyOptions.command,
    NotifyOptions.urgency, NotifyOptions.atMost)
    + AnyOption.list(
      NotifyOptions.attempts, DeliveryOptions.backoff, NotifyOptions.timeout, NotifyOptions.quiet,
      NotifyOptions.digest, NotifyOptions.digestTitle, NotifyOptions.digestBody, NotifyOptions.until,
      NotifyOptions.interval, NotifyOptions.key),
  shorthand: "title",
  state:
    """
    the digest that is waiting: a number and ten titles, or with quiet or digest a hundred notifications; and what is \
    repeated: at most a thousand keys, beyond which the oldest is no longer repeated
    """,
  hasDurableState: true,
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
    checker.check(
      command.map { CommandWord($0, isFixed: true) }, at: options.place(of: NotifyOptions.command))
    NotifyOptions.checkService(options, checker)
    NotifyOptions.checkDigest(options, checker)
    NotifyOptions.checkRepetition(options, checker)
  },
  .sink { options, context in try Notify(options, context) })

/// The parts of a message that depend on the event.
private struct MessageExpressions {
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
    let picture = try event.text(picture)
    // Of the files of this machine only the picture that this poll has of its page.
    let isOfPage = !picture.isEmpty && picture == event.poll.notes.member(Poll.screenshot)?.string
    message.picture = try isOfPage ? picture : Message.link(picture, "picture")
    message.tags = try tags.map { printable(try event.text($0)) }.filter { !$0.isEmpty && $0 != "null" }
  }
}

private final class Notify: DeliverySink, RepeatingSink {
  private let title: Evaluation
  private let body: Evaluation
  private let channel: NotifyChannel
  private var window: NotifyWindow?
  private let schedule: NotifySchedule?
  private var held = HeldMessages()
  private var repeated: RepeatedMessages?
  private let key: Evaluation?
  private let digestTitle: Evaluation?
  private let digestBody: Evaluation?
  /// The events that wait for a digest, stored for the next run.
  private let kept: NodeCell<Value>?
  private let context: SinkContext
  /// Nil where notifications are not for a service.
  private let expressions: MessageExpressions?
  private let transport: NotifyTransport
  let queue: DeliveryQueue
  private var rings = false

  init(_ options: Options, _ context: SinkContext) throws {
    title = context.evaluation(options[NotifyOptions.title])
    body = context.evaluation(options[NotifyOptions.body])
    channel = NotifyChannel(
      options[NotifyOptions.through], options[NotifyOptions.command], options[NotifyOptions.urgency],
      context.lane.world)
    window = options[NotifyOptions.atMost].map { NotifyWindow($0) }
    kept = try context.outbox?.cell()
    schedule = NotifyOptions.schedule(options)
    repeated = options[NotifyOptions.until].map { _ in
      RepeatedMessages(every: options[NotifyOptions.interval])
    }
    key = options[NotifyOptions.key].map { context.evaluation($0) }
    digestTitle = options[NotifyOptions.digestTitle].map { context.evaluation($0) }
    digestBody = options[NotifyOptions.digestBody].map { context.evaluation($0) }
    if let before = kept?.value {
      window?.resume(before)
      if let notes = before.member("held") { held = HeldMessages(jsonValue: notes) }
      if let notes = before.member("repeated") { repeated?.resume(notes, at: context.now) }
    }
    self.context = context
    expressions = options[NotifyOptions.to].map { _ in MessageExpressions(options, context) }
    transport = try NotifyTransport(
      to: options[NotifyOptions.to], timeout: options[NotifyOptions.timeout], context)
    queue = DeliveryQueue(NotifyOptions.settings(options), context, transport)
  }

  func take(_ event: Event) throws {
    var message = Message(title: try event.text(title), body: try event.text(body))
    try expressions?.read(event, into: &message)
    try queue.suppress()
    try release()
    if repeated != nil, !context.isDryRun { try addRepeated(message, event) }
    if let until = schedule?.heldUntil(at: context.lane.now), !context.isDryRun {
      held.add(message, until: until)
      keepWindow()
      setAlarm()
    } else {
      try pass(message, event)
    }
  }

  /// Notes that a notification is repeated from now on.
  private func addRepeated(_ message: Message, _ event: Event) throws {
    let key = try key.map { printable(try event.text($0)) } ?? message.title
    if let lost = repeated?.add(key, message, at: context.now, timeOfDay: context.lane.now) {
      context.log.warning(
        "\(quoted(lost)) is no longer repeated: more than \(RepeatedMessages.bound) notifications wait to be acknowledged"
      )
    }
    keepWindow()
    setAlarm()
  }

  /// Sends again what has not been acknowledged; in quiet hours, at their end.
  private func sendAgain() throws {
    let now = context.now
    guard let next = repeated?.next, next <= now else { return }
    if let end = schedule?.heldUntil(at: context.lane.now) {
      repeated?.postpone(dueBy: now, until: now + .seconds(max(1, end - context.lane.now)))
    } else {
      for message in repeated?.due(at: now) ?? [] { try pass(message, nil) }
    }
    keepWindow()
  }

  var unacknowledged: [Unacknowledged] { repeated?.entries.map(\.shown) ?? [] }

  func acknowledge(_ keys: Set<String>) throws -> [Unacknowledged] {
    let entries = repeated?.remove(keys) ?? []
    if entries.isEmpty { return [] }
    for entry in entries { held.remove(entry.message) }
    keepWindow()
    return entries.map(\.shown)
  }

  /// Sends a notification, unless it must wait for the limit.
  private func pass(_ message: Message, _ event: Event?) throws {
    if window?.take(message.linked, at: context.now) == false {
      setAlarm()
    } else {
      try show(message, for: event)
    }
    keepWindow()
  }

  /// Sends what was held, once its time has come.
  private func release(inAnyCase: Bool = false) throws {
    guard let until = held.until, inAnyCase || context.lane.now >= until else { return }
    let released = held
    held = HeldMessages()
    keepWindow()
    if released.count == 1, schedule?.digest == nil, let message = released.messages.first {
      return try pass(message, nil)
    }
    let event = Event(released.value, Poll(source: "", at: context.lane.now))
    let lines = released.messages.map(\.linked)
    let more = released.count - lines.count
    let list = (lines + (more > 0 ? ["… and \(more) more"] : [])).joined(separator: "\n")
    try pass(
      Message(
        title: try digestTitle.map { try event.text($0) }
          ?? "\(released.count) notification\(released.count == 1 ? "" : "s"): \(context.pipeline)",
        body: try digestBody.map { try event.text($0) } ?? list), nil)
  }

  /// Wakes the sink for what waits; the wall clock may be set meanwhile, so not too late.
  private func setAlarm() {
    var times = [window?.due].compactMap(\.self)
    if let next = repeated?.next { times.append(min(next, context.now + .seconds(600))) }
    if let until = held.until {
      times.append(context.now + .seconds(min(max(0, until - context.lane.now), 600)))
    }
    if let first = times.min() { context.alarm.set(at: first) }
  }

  private func show(_ message: Message, for event: Event?) throws {
    if expressions != nil {
      if context.isDryRun { return try transport.show(message, in: &queue.dryRun) }
      return try queue.add(NotifyItem.message(message, event))
    }
    let text = NotificationText(title: message.title, body: message.body)
    if let arguments = channel.arguments(text) {
      if context.isDryRun { return queue.dryRun.add(arguments) }
      return try queue.add(NotifyItem.command(CommandItem(arguments: arguments, input: "", event: event)))
    }
    let body = text.body.split(separator: "\n").joined(separator: "; ")
    let line = body.isEmpty ? text.title : "\(text.title): \(body)"
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
    // An entry of a run that used another channel is sent through that.
    for entry in entries {
      if let line = String(storedLine: entry.bytes) {
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
    if !queue.isSuppressed {
      try release()
      try sendAgain()
    }
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
    guard window != nil || schedule != nil || repeated != nil else { return }
    var value = window?.jsonValue ?? .emptyObject
    if schedule != nil { value.setMember("held", held.jsonValue) }
    if let repeated { value.setMember("repeated", repeated.jsonValue) }
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
  fileprivate init?(storedLine bytes: [UInt8]) {
    guard let text = (try? Value.parse(bytes))?.string else { return nil }
    self = text
  }
}
