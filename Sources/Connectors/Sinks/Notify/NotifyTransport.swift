import Delivery
import Engine
import Fetch
import JSON
import Language
import Reactive
import System

/// A notification to deliver, as it is stored in the outbox: a command to run, or a message for a service.
///
/// A message has no address and no key: they are in the pipeline.
enum NotifyItem: DeliveryItem {
  case command(CommandItem)
  case message(Message, Event?)

  var event: Event? {
    switch self {
    case .command(let item): item.event
    case .message(_, let event): event
    }
  }

  var detached: NotifyItem {
    switch self {
    case .command(let item): .command(item.detached)
    case .message(let message, let event): .message(message, event?.detached)
    }
  }

  init?(jsonValue value: Value) {
    if let message = value.member("message") {
      guard let message = Message(jsonValue: message) else { return nil }
      self = .message(message, Event(member: value.member("event")))
    } else {
      guard let item = CommandItem(jsonValue: value) else { return nil }
      self = .command(item)
    }
  }

  var jsonValue: Value {
    switch self {
    case .command(let item): return item.jsonValue
    case .message(let message, let event):
      var members = [("message", message.jsonValue)]
      if let event { members.append(("event", event.jsonValue)) }
      return .record(members)
    }
  }
}

/// Delivers notifications: runs commands, sends requests to services, and mail.
struct NotifyTransport: SingleTransport {
  let delivers = Deliverable.notification
  var retriesInRealTime: Bool { client?.isBesideSimulation ?? true }
  private let commands: CommandTransport
  private let sender: MessageSender?
  private let client: DeliveryClient?
  private let wallClock: @Sendable () -> Double

  init(to destination: Destination?, timeout: Duration, _ context: SinkContext) throws {
    commands = CommandTransport(context, delivers: .notification)
    sender = destination.map { MessageSender($0, timeout: timeout) }
    client = try destination.map { _ in try DeliveryClient(context, for: .notification) }
    wallClock = context.lane.world.wallClock
  }

  func begin(_ item: NotifyItem, id: String, _ end: @escaping DeliveryEnd) -> Subscription {
    switch item {
    case .command(let item): return commands.begin(item, id: id, end)
    case .message(let message, _):
      guard let sender, let client else {
        end(
          DeliveryFailure("the message was for a service, and the sink has no “to” any more", mayPass: false))
        return Subscription()
      }
      if let mail = sender.mail(message, id: id, at: wallClock()) {
        return client.send(mail, limits: sender.limits, end)
      }
      return client.start(end) { [wallClock] in
        (try sender.request(message, id: id), { MessageSender.failure($0, at: wallClock()) })
      }
    }
  }

  /// Shows a message in a dry run.
  func show(_ message: Message, in dryRun: inout DryRun) throws {
    guard let sender else { return }
    if let mail = sender.mail(message, id: "dry-run", at: 0) {
      dryRun.add(line: "\(mail): \(message.line)")
    } else {
      dryRun.add(try sender.request(message, id: "dry-run", isShown: true))
    }
  }

  func endLeftovers(of ids: [String]) { commands.endLeftovers(of: ids) }

  func takeOutput(of ended: [UInt64]) throws { try commands.takeOutput(of: ended) }

  func cutShortMessage(_ item: any DeliveryItem, attempts: Int) -> String {
    if case .command(let item) = item as? NotifyItem {
      return commands.cutShortMessage(item, attempts: attempts)
    }
    return "the notification was not sent: the pipeline ended"
  }

  func leftMessage(_ count: Int) -> String {
    count == 1
      ? "one notification was interrupted; the next run sends it again"
      : "\(count) notifications were interrupted; the next run sends them again"
  }
}

/// Turns messages into requests, or mail, for one destination.
struct MessageSender: Sendable {
  let destination: Destination
  var limits = TransferLimits()

  init(_ destination: Destination, timeout: Duration) {
    self.destination = destination
    limits.whole = timeout
  }

  /// - Parameter isShown: Whether it is only shown, so that no file is read.
  func request(_ message: Message, id: String, isShown: Bool = false) throws -> Request {
    var message = message
    var file: [UInt8]?
    let attachment = destination.service.attachment
    if message.picture.hasPrefix("/") {
      if attachment != nil, !isShown { file = KeptPicture.read(message.picture) }
      // A caption has less room than a message.
      if case .fields("photo") = attachment { message.body = fitted(message.body, 600) }
      message.picture = file != nil || isShown && attachment != nil ? Attachment.reference : ""
    }
    let made = destination.service.request(message, destination, id)
    var request = Request(try Address(made.address))
    request.method = made.method
    request.headers =
      made.headers + [
        Header("Content-Type", "application/json"), Header("Idempotency-Key", id),
      ]
    request.body = made.body.json
    request.limits = limits
    request.secrets = destination.secrets
    if let file { try attachment?.attach(file, to: made, id: id, &request) }
    return request
  }

  /// The mail for a message; nil where the destination takes requests.
  func mail(_ message: Message, id: String, at seconds: Double) -> Mail? {
    guard destination.service.isMail, let route = try? MailRoute(destination) else { return nil }
    return route.mail(message, id: id, at: seconds)
  }

  /// Why a request failed, with the wait that some services write into the body of the response.
  static func failure(_ result: Result<Response, FetchError>, at now: Double) -> DeliveryFailure? {
    guard case .failure(let error) = result else { return nil }
    var failure = DeliveryFailure(error)
    if failure.retryAt == nil, error.status == 429, let wait = error.serverValue.flatMap(statedWait) {
      failure.retryAt = now + min(max(0, wait), 86400)
    }
    return failure
  }

  /// The seconds to wait that the body of a response names, in the forms of Telegram, Matrix and Discord.
  private static func statedWait(_ body: Value) -> Double? {
    body.member("parameters")?.member("retry_after")?.double
      ?? body.member("retry_after_ms")?.double.map { $0 / 1000 } ?? body.member("retry_after")?.double
  }
}
