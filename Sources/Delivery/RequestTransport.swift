import Fetch
import JSON
import Engine
import Language
import Reactive
import System

/// A request to send for an event, as it is stored in the outbox.
///
/// Contains only what depends on the event. The address and the keys that all requests of the sink share are in the
/// pipeline and may be secret.
package struct RequestItem: EventItem, JSONRecord {
  /// The texts between the fixed parts of the address.
  package var data: [String] = []
  /// The headers that depend on the event.
  package var headers: [String: String] = [:]
  /// Nil for the event.
  package var body: String?
  package var event: Event?

  package init(data: [String] = [], headers: [String: String] = [:], body: String? = nil, event: Event? = nil)
  {
    self.data = data
    self.headers = headers
    self.body = body
    self.event = event
  }

  package static let form = RecordForm<Self>(
    Self.init(data:headers:body:event:), Field("data", \.data), Field("headers", \.headers, unless: [:]),
    Field("body", \.body), Field("event", \.event))
}

/// Sends requests, with what all requests of a sink share.
package struct RequestTransport: SingleTransport {
  package let delivers = Deliverable.request
  package var retriesInRealTime: Bool { client.isBesideSimulation }
  package var method = Request.Method.get
  /// The headers that do not depend on the event.
  package var headers: [Header] = []
  package var limits = TransferLimits()
  /// The default content type of a body.
  package var contentType: String?
  /// The envelope of each body.
  package var envelope: CloudEvents?
  private let texts: [String]
  private let secrets: [String]
  private let client: DeliveryClient

  package init(_ address: AddressTemplate, _ context: SinkContext) throws {
    texts = try address.texts(by: context.evaluation(address.texts))
    secrets = address.secrets
    client = try DeliveryClient(context, for: .request)
  }

  /// The request for an item, without the header for its id.
  package func request(_ item: RequestItem, id: String) throws -> Request {
    var request = Request(try Address(texts: texts, data: item.data))
    request.method = method
    request.headers = headers
    for (name, value) in item.headers.sorted(by: { $0.key < $1.key }) {
      request.headers.append(Header(name, value))
    }
    let event = [.post, .put, .patch].contains(method) || item.body != nil ? item.event : nil
    request.body = try envelope.bytes(item.body, of: event, id: id)
    if let contentType, !request.body.isEmpty, !request.has("content-type") {
      request.headers.append(Header("Content-Type", contentType))
    }
    request.limits = limits
    request.secrets = secrets
    return request
  }

  package func begin(_ item: RequestItem, id: String, _ end: @escaping DeliveryEnd) -> Subscription {
    client.start(end) {
      var request = try request(item, id: id)
      if !request.has("idempotency-key") { request.headers.append(Header("Idempotency-Key", id)) }
      return (request, { result in result.failure.map { DeliveryFailure($0) } })
    }
  }
}

/// The HTTP client of a transport: each attempt is one request, since the queue does the retries.
package struct DeliveryClient {
  package typealias Outcome = @Sendable (Result<Response, FetchError>) -> DeliveryFailure?

  private let client: Client?
  /// Whether it is the real network of a run whose time is not.
  package let isBesideSimulation: Bool
  private let log: NodeLog

  package init(_ context: SinkContext, for deliverable: Deliverable) throws {
    let access = WebAccess.forDelivery(of: deliverable, in: context)
    client = try access?.client()
    isBesideSimulation = access != nil && access === context.lane.world[LiveWeb.self]?.access
    log = context.log
  }

  /// Starts the request returned by `prepare`, whose second result evaluates the response.
  ///
  /// Without a request the attempt succeeds.
  package func start(_ end: @escaping DeliveryEnd, _ prepare: () throws -> (Request, Outcome)?)
    -> Subscription
  {
    let attempt = Subscription()
    do {
      guard let client else { throw Sentence.noNetwork }
      guard let (prepared, outcome) = try prepare() else {
        end(nil)
        return attempt
      }
      var request = prepared
      request.isTriedOnce = true
      request.expectation = .anything
      request.whenUnpaid = .fail
      let transfer = client.start(request) { [log] notice in
        if case .notStored = notice { log.warning("\(notice)") }
      } completion: {
        end(outcome($0))
      }
      attempt.onDispose {
        transfer.dispose()
        end(.cancelled)
      }
    } catch {
      end(DeliveryFailure("\(error)", mayPass: false))
    }
    return attempt
  }

  /// Starts sending a mail.
  package func send(_ mail: Mail, limits: TransferLimits, _ end: @escaping DeliveryEnd) -> Subscription {
    let attempt = Subscription()
    guard let client else {
      end(DeliveryFailure("\(Sentence.noNetwork)", mayPass: false))
      return attempt
    }
    let transfer = client.send(mail, limits: limits) { end(DeliveryFailure.mail($0)) }
    attempt.onDispose {
      transfer.dispose()
      end(.cancelled)
    }
    return attempt
  }
}

extension Result {
  fileprivate var failure: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}

extension Request {
  fileprivate func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }
}
