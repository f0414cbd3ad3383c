import Fetch
import JSON
import Pipeline
import Reactive

/// What all requests of a sink have, and the way by which they go out.
struct RequestBase {
  var method = Request.Method.get
  /// Those that are the same for all.
  var headers: [Header] = []
  var limits = TransferLimits()
  /// What is sent where a request has no body of its own.
  var contentType: String?
  private let texts: [String]
  private let secrets: [String]
  private let client: Client?
  private let log: NodeLog

  init(_ address: AddressTemplate, _ context: SinkContext) throws {
    texts = try address.texts(by: context.evaluation(address.texts))
    secrets = address.secrets
    log = context.log
    client = try WebAccess.client(for: context)
  }

  /// The request that was kept, without its id.
  func request(_ kept: KeptRequest) throws -> Request {
    var request = Request(try Address(texts: texts, data: kept.data))
    request.method = method
    request.headers = headers
    for (name, value) in kept.headers.sorted(by: { $0.key < $1.key }) {
      request.headers.append(Header(name, value))
    }
    if let body = kept.body {
      request.body = Array(body.utf8)
    } else if [.post, .put, .patch].contains(method) {
      request.body = kept.event?.value.json ?? []
    }
    if let contentType, !request.body.isEmpty, !request.has("content-type") {
      request.headers.append(Header("Content-Type", contentType))
    }
    request.isTriedOnce = true
    request.expectation = .anything
    request.whenUnpaid = .fail
    request.limits = limits
    request.secrets = secrets
    return request
  }

  /// Sends it, as an errand is run.
  func send(
    _ kept: KeptRequest, id: String, _ end: @escaping @Sendable (ErrandFailure?) -> Void
  ) -> Subscription {
    do {
      guard let client else { throw NoNetwork() }
      var request = try request(kept)
      if !request.has("idempotency-key") { request.headers.append(Header("Idempotency-Key", id)) }
      let log = log
      return client.start(request) { notice in
        if case .notKept = notice { log.warning("\(notice)") }
      } completion: { result in
        switch result {
        case .success: end(nil)
        case .failure(let error): end(ErrandFailure(error))
        }
      }
    } catch {
      end(ErrandFailure("\(error)", mayPass: false))
      return Subscription()
    }
  }
}

extension Request {
  fileprivate func has(_ name: String) -> Bool { headers.contains { $0.name.lowercased() == name } }
}

extension DryRun {
  /// Shows a request as the command that would send it, without its secrets.
  mutating func add(_ request: Request) {
    var arguments = ["curl", "-X", request.method.rawValue]
    for header in request.headers { arguments += ["-H", request.masked("\(header)")] }
    if !request.body.isEmpty { arguments += ["--data-binary", "@-"] }
    add(arguments + [request.masked("\(request.address)")], input: request.body)
  }
}
