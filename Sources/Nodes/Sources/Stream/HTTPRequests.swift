import Delivery
import Engine
import Fetch
import JSON
import Language

/// The requests of `http`, made of its templates for each poll or connection.
final class HTTPRequests {
  private let options: Options
  private let context: SourceContext
  private let address: SourceAddress
  private let query: [(name: String, value: Evaluation)]
  private let headers: [(name: String, value: Evaluation)]
  private let body: Evaluation?
  private let pages: PageOrders?

  init(_ options: Options, _ context: SourceContext) throws {
    self.options = options
    self.context = context
    address = try SourceAddress(
      options[HTTPOptions.url], hosts: options[HTTPOptions.hosts], any: options[HTTPOptions.anyHost], context)
    query = options[HTTPOptions.query].map { ($0.name, context.evaluation($0.value.expression)) }
    headers = options[HTTPOptions.headers].map { ($0.name, context.evaluation($0.value.expression)) }
    pages = PageOrders(options, context)
    body = options[HTTPOptions.body].map { context.evaluation($0) }
  }

  /// The request for an event, the entry or null, after what the last poll has noted.
  func request(_ event: Event, last: Value) throws -> Request {
    func text(_ template: Evaluation) throws -> String {
      template.set(LastPoll.variable, last)
      return try event.text(template)
    }
    var address = try address.address(event, last: last)
    for item in query { address = address.setting(item.name, to: try text(item.value)) }
    var request = Request(address)
    request.page = try pages?.order(event, last: last)
    WebOptions.apply(options, try headers.map { Header($0.name, try text($0.value)) }, to: &request)
    if options[HTTPOptions.method] == .post {
      request.method = .post
      request.isRepeatable = true
      if let body {
        body.set(LastPoll.variable, last)
        request.body = (try body.first(event) ?? .null).json
        request.headers.append(Header("Content-Type", "application/json"))
      }
    }
    return request
  }
}
