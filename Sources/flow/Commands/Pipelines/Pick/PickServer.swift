import CMicrohttpd
import JSON
import Page
import Reactive
import Server
import System

/// The server of the page that picks: on the loopback, at an address that contains a random token.
///
/// Of the watched page it has a picture and boxes; nothing of it runs there.
final class PickServer: RequestFront {
  private typealias Answer = (status: Int, type: String, bytes: [UInt8])

  let bodyLimit = 1 << 18
  let arrivals = ArrivalLimit(.seconds(10), most: 32, on: SerialScheduler(name: "flow-pick"))
  private let picking: Picking
  private let target: String?
  private let token = PageToken.random()
  private let hosts = OwnHosts(listeningAt: nil)
  /// Writes the pipeline; returns what to say, and whether that was all.
  private let write: @Sendable (String) -> (text: String, isDone: Bool)
  private let server = Locked<RequestServer?>(nil)
  private let port = Locked(0)
  private let over = Locked(false)

  init(
    _ picking: Picking, target: String?, write: @escaping @Sendable (String) -> (text: String, isDone: Bool)
  ) throws(Sentence) {
    (self.picking, self.target, self.write) = (picking, target, write)
    do throws(ListeningSocket.Failure) {
      try RequestServer.load()
      let socket = try ListeningSocket(port: 0)
      port.withLock { $0 = socket.port }
      let started = try RequestServer(self, on: socket, .one(memory: 16384), connections: 64, idle: 30)
      server.withLock { $0 = started }
    } catch {
      throw Sentence(error.description)
    }
  }

  var url: String { "http://127.0.0.1:\(port.withLock(\.self))/\(token)/" }

  /// Whether the pipeline has been written, and the page knows it.
  var isOver: Bool { over.withLock(\.self) }

  func stop() { server.withLock { $0.take() }?.stop() }

  func requestEnded(_ body: ReceivedBody) {
    if body.attachment != nil { over.withLock { $0 = true } }
  }

  func answer(_ connection: OpaquePointer, _ path: String, _ method: String, _ body: ReceivedBody)
    -> MHD_Result
  {
    var headers: [String: String] = [:]
    for (name, value) in ReceivedValues.headers(of: connection) { headers[name.lowercased()] = value }
    let (status, type, bytes) = answer(path, method, headers, body)
    guard let response = bytes.withUnsafeBytes({ flow_mhd_response($0.baseAddress, $0.count) }) else {
      return .NO
    }
    for (name, value) in Self.headers + [("Content-Type", type)] {
      flow_mhd_add_header(response, name, value)
    }
    return flow_mhd_send(connection, UInt32(status), response)
  }

  private static let headers = [
    (
      "Content-Security-Policy",
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
        + "form-action 'none'; frame-ancestors 'none'"
    ),
    ("X-Content-Type-Options", "nosniff"), ("Referrer-Policy", "no-referrer"), ("Cache-Control", "no-store"),
    ("Cross-Origin-Resource-Policy", "same-origin"), ("Cross-Origin-Opener-Policy", "same-origin"),
  ]

  private func answer(_ path: String, _ method: String, _ headers: [String: String], _ body: ReceivedBody)
    -> Answer
  {
    guard hosts.contains(headers["host"] ?? "") else {
      return Self.text(421, "This server does not answer for that host name.")
    }
    let steps = path.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard steps.count == 3, isEqualInConstantTime(steps[1], token) else {
      return Self.text(404, "Open the address that flow new --pick has printed.")
    }
    if method == "GET" || method == "HEAD" {
      switch steps[2] {
      case "": return (200, "text/html; charset=utf-8", PackageResources.pick_html)
      case "pick.js": return (200, "text/javascript; charset=utf-8", PackageResources.pick_js)
      case "pick.css": return (200, "text/css; charset=utf-8", PackageResources.pick_css)
      case "picture": return (200, "image/webp", picking.page.survey.picture)
      case "page.json": return (200, "application/json", picking.scene(for: target).json)
      default: return Self.text(404, "There is nothing here.")
      }
    }
    // Another site's form cannot send this type.
    guard method == "POST", ["draft", "write"].contains(steps[2]),
      headers["content-type"] == "application/json", !body.isTooLong
    else {
      return Self.text(400, "This is not understood.")
    }
    var answer: Value
    do {
      let picks = try Value.parse(body.bytes, .strict)
      if steps[2] == "draft" {
        answer = try picking.draft(of: picks)
      } else {
        let (text, isDone) = write(try picking.text(of: picks))
        if isDone { body.attachment = self }
        answer = .record([("text", .string(text)), ("isDone", .bool(isDone))])
      }
    } catch {
      answer = .record([("problem", .string("\(error)"))])
    }
    return (200, "application/json", answer.json)
  }

  private static func text(_ status: Int, _ text: String) -> Answer {
    (status, "text/plain; charset=utf-8", Array(text.utf8))
  }
}
