import Delivery
import Fetch
import JSON
import Engine
import Language
import Reactive
import Store
import System

/// `http` as a sink: sends a request for each event, as to a webhook.
package let httpSink = NodeSpec(
  "http", "send each event to a web address, with retries",
  reference: .init(PackageResources.http_sink_md),
  options: AnyOption.list(
    HTTPSinkOptions.url, HTTPSinkOptions.method, HTTPSinkOptions.headers, WebOptions.bearer,
    WebOptions.basic, HTTPSinkOptions.timeout)
    + Payload.list + DeliveryOptions.list,
  shorthand: "url", hasDurableState: true,
  check: { options, checker in
    Payload.check(options, checker)
    WebOptions.check(options[HTTPSinkOptions.url], at: options.place(of: HTTPSinkOptions.url), checker)
    let hasBody = options.isGiven(Payload.body) || options.isGiven(Payload.bodyText)
    if hasBody, options[HTTPSinkOptions.method] == .get {
      checker.report("a GET request cannot have a body", at: options.place, hint: "add method: post")
    }
  },
  .sink { options, context in try HTTPSink(options, context) })

private enum HTTPSinkOptions {
  enum Method: String, CaseIterable, Sendable {
    case post, put, patch, delete, get

    var request: Request.Method {
      switch self {
      case .post: .post
      case .put: .put
      case .patch: .patch
      case .delete: .delete
      case .get: .get
      }
    }
  }

  static let url = Option.required(
    "url", .addressTemplate, "the address; expressions are allowed after the host",
    example: "https://example.org/hook")
  static let method = Option("method", .choice(of: Method.self), default: "post", "the request method")
  static let headers = Option(
    "headers", .mapping(of: .template.withoutShellVariables), default: "{}",
    "headers of the request, as templates",
    example: #"{ Title: '\(.name)' }"#)
  static let timeout = Option("timeout", .duration, default: "30s", "the time limit of an attempt")
}

private final class HTTPSink: DeliverySink {
  private let context: SinkContext
  private let data: Evaluation
  private let headers: [(name: String, value: Evaluation)]
  private let payload: Payload
  private let transport: RequestTransport
  let queue: DeliveryQueue

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    let url = options[HTTPSinkOptions.url]
    data = context.evaluation(url.data)
    let all = options[HTTPSinkOptions.headers]
    headers = all.filter { $0.value.constant == nil }.map { ($0.name, context.evaluation($0.value)) }
    payload = Payload(options, context)
    var transport = try RequestTransport(url, context)
    transport.method = options[HTTPSinkOptions.method].request
    let fixed = all.compactMap { header in header.value.constant.map { Header(header.name, $0) } }
    transport.headers = fixed + WebOptions.authorization(options)
    (transport.envelope, transport.contentType) = (payload.envelope, payload.contentType)
    transport.limits.whole = options[HTTPSinkOptions.timeout]
    self.transport = transport
    queue = DeliveryQueue(DeliveryOptions.settings(options), context, transport)
  }

  func take(_ event: Event) throws {
    var item = RequestItem(event: event)
    item.data = (try data.first(event)?.items ?? []).map { $0.string ?? "\($0)" }
    for (name, value) in headers { item.headers[name] = try event.text(value) }
    item.body = try payload.text(event)
    // Validated now, so that an invalid address is an error of this event and never stored.
    let request = try transport.request(item, id: "dry-run")
    if context.isDryRun { return queue.dryRun.add(request) }
    try queue.add(item)
  }
}
