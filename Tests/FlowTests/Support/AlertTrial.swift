import Foundation
import JSON
import Loopback
import Reactive

/// A pipeline `rows` that polls a service each half second, with alerts; the service, the notifications and the pings are
/// one server.
final class AlertTrial: Sendable {
  /// The status that the service answers with.
  private final class Service: Sendable {
    let status = Locked("200 OK")
  }

  let server: LoopbackServer
  private let service = Service()

  init() throws {
    server = try LoopbackServer { [service] request in
      request.target == "/rows"
        ? [.reply("[{\"id\":1}]", status: service.status.withLock { $0 })] : [.reply("{}")]
    }
  }

  func answer(with status: String) { service.status.withLock { $0 = status } }

  var pipeline: String {
    """
    name: rows
    sources: { api: { http: '\(server.url)/rows', every: 500ms, retry: 0s } }
    steps: [changes: .id]
    sinks: { log: { jsonl: log.jsonl } }
    """
  }

  /// The config, with another server for notifications if need be.
  func config(to notify: String? = nil) -> String {
    let notify = notify ?? "ntfy+http://127.0.0.1:\(server.port)/me"
    return "alerts: { notify: '\(notify)', ping: '\(server.url)/ping', every: 200ms }\n"
  }

  var pings: Int { server.received.count { $0.target == "/ping" } }

  /// The notifications, as in `rows/api failed`.
  var titles: [String] {
    server.received.filter { $0.method == "POST" }.compactMap { request in
      (try? Value.parse(request.body))?.member("title")?.string
    }
  }
}
