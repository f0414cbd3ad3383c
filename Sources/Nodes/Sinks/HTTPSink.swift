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
  details: """
    The event is sent as JSON (nothing with delete and get), or as given by `body` or `body_text`. The header Idempotency-Key has an id that is the \
    same for each attempt and unique to the event, by which the server can detect repeats. Responses with status 2xx \
    are successes. Those with 4xx, except 408, 425 and 429, and redirects that are not followed are not retried. Other \
    failures are, after `backoff` or as the server's Retry-After demands. After the last attempt the event is handled \
    as `on_error` says. When `queue` events are waiting, the pipeline waits.

    The address may contain expressions after its host. Their results are percent-encoded and become part of the path \
    or the query. An empty segment of the path and the segments . and .. are errors.

    With state, a request is retried across restarts until it succeeds, with the same id. One that failed for good is \
    kept as a dead letter: see flow state dead. `bearer`, `basic`, and addresses and headers without expressions are \
    never stored.

    Simulated and replayed runs send nothing without --live-sinks.
    """,
  options: AnyOption.list(
    HTTPSinkOptions.url, HTTPSinkOptions.method, HTTPSinkOptions.headers, WebOptions.bearer,
    WebOptions.basic, HTTPSinkOptions.timeout)
    + Payload.list + DeliveryOptions.list,
  shorthand: "url", hasDurableState: true,
  examples: [
    .init("each event as JSON, with POST", "http: https://example.org/hooks/launches"),
    .init(
      "one resource per event",
      #"http: { url: 'https://example.org/launches/\(.id)', method: put, body: '{name, net}', bearer: '${TOKEN:-}' }"#
    ),
    .init("in an envelope", "http: { url: https://example.org/in, envelope: cloudevents }"),
    .init(
      "a text, with headers",
      #"http: { url: https://ntfy.example.org/sky, body_text: '\(.name) slipped', headers: { Title: '\(.id)' } }"#
    ),
    .init(
      "four at once, retried for hours",
      """
      http: { url: https://example.org/in, concurrency: 4, queue: 256, attempts: 20, backoff: 10s, timeout: 1m, \
      basic: '${USER_AND_PASSWORD:-}' }
      """),
  ],
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
