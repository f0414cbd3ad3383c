import Fetch
import JSON
import Engine
import Language
import Engine
import Language
import Reactive
import Store

/// `http` as a sink: sends a request for each event, as to a webhook.
let httpSink = NodeSpec(
  "http", "send each event to a web address, trying again when it fails",
  details: """
    The event is sent as JSON, or what `body` or `body_text` makes of it. The header Idempotency-Key has an id that is \
    the same for each attempt and for no other event, by which the server can tell a repeat. An answer of 2xx is \
    success. Anything in the 4xx but 408, 425 and 429 is not tried again, nor is a redirect that is not followed; all \
    else is, after `backoff` or when the server's Retry-After says. After the last attempt the event is dealt with as \
    `on_error` says. When `queue` events wait, the pipeline waits for room.

    The address may have expressions behind its host. What they give is percent-encoded and makes a part of the path or \
    the query, and nothing else; an empty part of the path, and the parts . and .., are errors.

    A request that was begun is in the state of the pipeline until it has succeeded: what a crash or a stop has cut \
    short the next run sends again, with the same id. What has failed for good is kept there too: see flow state dead. \
    Nothing of `bearer`, `basic` and of addresses and headers without expressions is kept.

    Simulated and replayed runs send nothing without --live-sinks.
    """,
  options: AnyOption.list(
    HTTPSinkOptions.url, HTTPSinkOptions.method, HTTPSinkOptions.headers, HTTPSinkOptions.body,
    HTTPSinkOptions.bodyText, WebOptions.bearer, WebOptions.basic, HTTPSinkOptions.timeout)
    + DeliveryOptions.list,
  shorthand: "url", isKept: true,
  examples: [
    .init("each event as JSON, by POST", "http: https://example.org/hooks/launches"),
    .init(
      "a resource an event",
      #"http: { url: 'https://example.org/launches/\(.id)', method: put, body: '{name, net}', bearer: '${TOKEN:-}' }"#
    ),
    .init(
      "a text, with headers",
      #"http: { url: https://ntfy.example.org/sky, body_text: '\(.name) slipped', headers: { Title: '\(.id)' } }"#
    ),
    .init(
      "four at once, each tried for hours",
      """
      http: { url: https://example.org/in, concurrency: 4, queue: 256, attempts: 20, backoff: 10s, timeout: 1m, \
      basic: '${USER_AND_PASSWORD:-}' }
      """),
  ],
  check: { options, checker in
    WebOptions.check(options[HTTPSinkOptions.url], at: options.place(of: HTTPSinkOptions.url), checker)
    let hasText = options.isGiven(HTTPSinkOptions.bodyText)
    if hasText, options.isGiven(HTTPSinkOptions.body) {
      checker.report(
        "a request has one body: body or body_text", at: options.place(of: HTTPSinkOptions.bodyText))
    } else if hasText || options.isGiven(HTTPSinkOptions.body), options[HTTPSinkOptions.method] == .get {
      checker.report("a GET request has no body", at: options.place, hint: "add method: post")
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
    "url", .addressTemplate, "the address, which may have expressions behind its host",
    example: "https://example.org/hook")
  static let method = Option("method", .choice(of: Method.self), default: "post", "what is asked for")
  static let headers = Option(
    "headers", .mapping(of: .template), default: "{}", "headers of the request, each a template",
    example: #"{ Title: '\(.name)' }"#)
  static let body = Option.optional(
    "body", .expression, "what is sent, as JSON; else the event, but with delete and get nothing",
    example: "'{name, net}'")
  static let bodyText = Option.optional(
    "body_text", .template, "what is sent, as plain text", example: #"'\(.name) slipped'"#)
  static let timeout = Option("timeout", .duration, default: "30s", "how long one attempt may take")
}

private final class HTTPSink: DeliverySink {
  private let context: SinkContext
  private let data: Evaluation
  private let headers: [(name: String, value: Evaluation)]
  private let body: Evaluation?
  private let bodyText: Evaluation?
  let queue: DeliveryQueue<RequestWorker>

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    let url = options[HTTPSinkOptions.url]
    data = context.evaluation(url.data)
    let all = options[HTTPSinkOptions.headers]
    headers = all.filter { $0.value.constant == nil }.map { ($0.name, context.evaluation($0.value)) }
    body = options[HTTPSinkOptions.body].map { context.evaluation($0) }
    bodyText = options[HTTPSinkOptions.bodyText].map { context.evaluation($0) }
    var worker = try RequestWorker(url, context)
    worker.method = options[HTTPSinkOptions.method].request
    let fixed = all.compactMap { header in header.value.constant.map { Header(header.name, $0) } }
    worker.headers = fixed + WebOptions.authorization(options)
    worker.contentType = bodyText == nil ? "application/json" : "text/plain; charset=utf-8"
    worker.limits.whole = options[HTTPSinkOptions.timeout]
    queue = DeliveryQueue(DeliveryOptions.settings(options), context, worker)
  }

  func take(_ event: Event) throws {
    var task = RequestTask(event: event)
    task.data = (try data.first(event)?.items ?? []).map { $0.string ?? "\($0)" }
    for (name, value) in headers { task.headers[name] = try event.text(value) }
    if let bodyText {
      task.body = try event.text(bodyText)
    } else if let body {
      guard let value = try body.first(event) else {
        throw StepError("the expression for the body gives nothing")
      }
      task.body = value.description
    }
    // Made now too, so that an address that is wrong is an error of this event and never stored.
    let request = try queue.worker.request(task)
    if context.isDryRun { return queue.dryRun.add(request) }
    try queue.add(task)
  }
}
