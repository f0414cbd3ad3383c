import Delivery
import Engine
import Fetch
import Language
import Reactive
import System

/// One notification outside of any pipeline, to try a destination: `flow notify`.
public struct SingleNotification: Sendable {

  public static let priorities = Message.priorities

  private struct Ended: Sendable {
    let failure: DeliveryFailure?
  }

  private let sender: MessageSender
  private let message: Message

  public init(
    to: String, title: String, body: String = "", priority: String = "normal", link: String = "",
    picture: String = "", tags: [String] = []
  ) throws(Sentence) {
    do throws(Sentence) {
      sender = MessageSender(try Destination(to), timeout: .seconds(30))
      var message = Message(title: title, body: body)
      message.priority = try Message.priority(priority)
      message.link = try Message.link(link, "link")
      message.picture = try Message.link(picture, "picture")
      message.tags = tags.map(printable)
      self.message = message
    } catch {
      throw Sentence([error.description, error.hint].compactMap(\.self).joined(separator: "; "))
    }
  }

  /// The texts that nothing may show.
  public var secrets: [String] { sender.destination.secrets }

  /// Sends it once and waits for the answer.
  public func send(by client: Client, id: String, at now: Double) throws {
    let result = ConditionLock<Ended?>(nil)
    let end: DeliveryEnd = { failure in result.change { $0 = Ended(failure: failure) } }
    if let mail = sender.mail(message, id: id, at: now) {
      client.send(mail, limits: sender.limits) { end(DeliveryFailure.mail($0)) }
    } else {
      var request = try sender.request(message, id: id)
      request.isTriedOnce = true
      request.expectation = .anything
      request.whenUnpaid = .fail
      client.start(request) { end(MessageSender.failure($0, at: now)) }
    }
    guard let ended = result.wait(until: MonotonicClock.now + .seconds(60), for: { ended -> Ended? in ended })
    else {
      throw Sentence("no answer within a minute")
    }
    guard let failure = ended.failure else { return }
    // What OpenSSL says of an answer that is no TLS.
    let isPlain = ["wrong version number", "record layer failure", "packet length"].contains {
      "\(failure)".has($0)
    }
    let service = sender.destination.service.name
    throw Sentence("\(failure)" + (isPlain ? "; a server without TLS is written \(service)+http://…" : ""))
  }
}
