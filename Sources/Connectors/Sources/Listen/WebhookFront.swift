import CMicrohttpd
import Language
import Reactive
import Server
import System

/// The server's side of `listen`: a bounded queue of requests, whose connections sleep until they are answered.
final class WebhookFront: RequestFront {
  private struct State: Sendable {
    var queue: [Webhook] = []
    /// Requests without an answer, in the queue or taken from it, by their connections.
    var waiting: [UInt: Webhook] = [:]
    /// Requests whose answer is not sent.
    var open = 0
    var isStopped = false
  }

  /// Connections without a request: where there are more, the oldest is closed.
  private static let waiting = 384

  let arrivals: ArrivalLimit
  /// The most connections: those that wait for a request, those whose request waits for its commit, and some to spare.
  let connections: Int
  let bodyLimit: Int
  private let limit: Int
  private let guarding: WebhookGuard
  private let idHeader: String?
  private let now: @Sendable () -> Double
  /// Called for each request that is refused before it is in the queue.
  private let refused: @Sendable () -> Void
  private let state = ConditionLock(State())
  /// Rung for each request in the queue.
  private let wakeUp = WakeUp()

  init(
    _ options: Options, now: @escaping @Sendable () -> Double, refused: @escaping @Sendable () -> Void
  ) {
    (self.now, self.refused) = (now, refused)
    arrivals = ArrivalLimit(
      options[ListenOptions.timeout], most: Self.waiting, on: SerialScheduler(name: "flow-listen-timer"))
    bodyLimit = options[ListenOptions.maxBody]
    limit = options[ListenOptions.queue]
    connections = limit + Self.waiting + 128
    idHeader = options[ListenOptions.id]?.lowercased()
    guarding = WebhookGuard(
      path: options[ListenOptions.path],
      methods: options[ListenOptions.methods].map { $0.rawValue.uppercased() },
      token: options[ListenOptions.token],
      signature: options[ListenOptions.signature].map {
        WebhookSignature(
          $0[ListenOptions.scheme], header: $0[ListenOptions.header], secret: $0[ListenOptions.secret],
          tolerance: $0[ListenOptions.tolerance])
      }, hosts: ListenOptions.ownHosts(options))
  }

  // MARK: - Requests, on the server's thread

  func answer(
    _ connection: OpaquePointer, _ path: String, _ method: String, _ body: ReceivedBody
  ) -> MHD_Result {
    if let webhook = body.attachment as? Webhook {
      let (status, text) = webhook.answer.withLock { $0 } ?? (503, "not accepted")
      return send(status, text, connection)
    }
    if body.isTooLong { return refuse(413, "the body is longer than \(bodyLimit) bytes", connection) }
    let query = ReceivedValues.query(of: connection)
    let headers = ReceivedValues.headers(of: connection).map { ($0.name.lowercased(), $0.value) }
    if let (status, text) = guarding.refusal(
      method: method, path: path, query: query, headers: headers, body: body.bytes,
      now: now())
    {
      return refuse(status, text, connection)
    }
    let id = idHeader.map { name in headers.first { $0.0 == name }?.1 }
    let webhook = Webhook(
      isQuery: method == "GET", path: path, query: query.filter { $0.name != "token" },
      headers: guarding.shown(headers), body: body.bytes,
      id: id ?? guarding.signature?.id(headers, body.bytes), connection: UInt(bitPattern: connection))
    let isQueued = state.change { state in
      if state.isStopped || state.waiting.count >= limit { return false }
      state.waiting[webhook.connection] = webhook
      state.open += 1
      state.queue.append(webhook)
      // Under the lock: it is suspended before anything can resume it.
      flow_mhd_suspend(connection)
      return true
    }
    guard isQueued else { return refuse(503, "too many webhooks wait", connection) }
    body.attachment = webhook
    wakeUp.ring()
    return .YES
  }

  func requestEnded(_ body: ReceivedBody) {
    if body.attachment is Webhook { state.change { $0.open -= 1 } }
  }

  private func refuse(_ status: Int, _ text: String, _ connection: OpaquePointer) -> MHD_Result {
    refused()
    return send(status, text, connection)
  }

  private func send(_ status: Int, _ text: String, _ connection: OpaquePointer) -> MHD_Result {
    let bytes = Array((printable(text) + "\n").utf8)
    guard let response = bytes.withUnsafeBytes({ flow_mhd_response($0.baseAddress, $0.count) }) else {
      return .NO
    }
    flow_mhd_add_header(response, "Content-Type", "text/plain; charset=utf-8")
    flow_mhd_add_header(response, "X-Content-Type-Options", "nosniff")
    if status == 503 { flow_mhd_add_header(response, "Retry-After", "1") }
    flow_mhd_add_header(response, "Cache-Control", "no-store")
    if status == 405 { flow_mhd_add_header(response, "Allow", guarding.methods.joined(separator: ", ")) }
    return flow_mhd_send(connection, UInt32(status), response)
  }

  // MARK: - Answers, on the source's thread

  /// Waits for requests and takes all of them from the queue; nil once the source must stop.
  func next(_ stop: StopSign) -> [Webhook]? {
    while !stop.isSet {
      let webhooks = state.change { state in
        defer { state.queue = [] }
        return state.queue
      }
      if !webhooks.isEmpty { return webhooks }
      wakeUp.wait(or: stop)
    }
    return nil
  }

  /// Puts a request that `next` has returned into the queue again.
  func putBack(_ webhook: Webhook) {
    let isStopped = state.change { state in
      if !state.isStopped { state.queue.append(webhook) }
      return state.isStopped
    }
    if isStopped { refuse(webhook) } else { wakeUp.ring() }
  }

  /// Answers a request that the stopped run does not take.
  func refuse(_ webhook: Webhook) { answer(webhook, 503, "not accepted: the pipeline ends") }

  /// Answers a request, once.
  func answer(_ webhook: Webhook, _ status: Int, _ text: String) {
    let isFirst = webhook.answer.withLock { answer in
      defer { answer = answer ?? (status, text) }
      return answer == nil
    }
    guard isFirst else { return }
    state.change { _ = $0.waiting.removeValue(forKey: webhook.connection) }
    flow_mhd_resume(OpaquePointer(bitPattern: webhook.connection))
  }

  /// Answers what waits in the queue with 503, what is still being decoded after that time too, and waits until all answers
  /// are sent: the server cannot be stopped while a connection sleeps.
  func stop(within time: Duration) {
    let left = state.change { state in
      state.isStopped = true
      defer { state.queue = [] }
      return state.queue
    }
    for webhook in left { refuse(webhook) }
    _ = state.wait(until: MonotonicClock.now + time) { $0.open == 0 ? true : nil }
    for webhook in state.change({ Array($0.waiting.values) }) { refuse(webhook) }
    // An answer that its client does not take ends with the time limit of its connection.
    _ = state.wait { $0.open == 0 ? true : nil }
  }
}
