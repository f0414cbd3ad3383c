import Fetch
import Language
import System

/// The destination of notifications, as `to` names it: `ntfy://ntfy.sh/launches`, `mailto:me@example.org?server=…`.
///
/// An address `SERVICE://[USER[:PASSWORD]@]HOST/PATH?QUERY` that is read by the service's own rules. `SERVICE+http`
/// uses plain HTTP, for a server in the same network.
struct Destination: Sendable {
  let service: NotifyService
  /// `http` or `https`.
  let scheme: String
  let user: String?
  let password: String?
  /// With its port.
  let host: String
  /// Percent-encoded, from its first `/`; empty without one.
  let path: String
  /// Percent-encoded, with its `?`; empty without one.
  let query: String

  init(_ text: String) throws(Sentence) {
    let colon = text.firstIndex(of: ":") ?? text.endIndex
    var name = String(text[..<colon]).lowercased()
    let isPlain = name.hasSuffix("+http")
    if isPlain { name.removeLast("+http".count) }
    guard colon < text.endIndex, let service = NotifyService.all.first(where: { $0.name == name }) else {
      throw Sentence(
        colon == text.endIndex
          ? "a destination begins with a service" : "\(quoted(name)) is no service for notifications",
        hint: nearest(to: name, among: NotifyService.all.map(\.name)).map { "did you mean \($0):?" }
          ?? "known are \(alternatives(NotifyService.all.map(\.name))); other services take the sinks http or exec"
      )
    }
    self.service = service
    scheme = isPlain ? "http" : "https"
    guard !text.utf8.contains(where: { $0 <= 0x20 || $0 == 0x7f }) else {
      throw Sentence(
        "the destination contains a space or a control character", hint: "encode it, a space as %20")
    }
    var rest = text[colon...].dropFirst()
    if rest.hasPrefix("//") { rest = rest.dropFirst(2) }
    let queryStart = rest.firstIndex(of: "?") ?? rest.endIndex
    query = String(rest[queryStart...])
    rest = rest[..<queryStart]
    if service.isMail {
      (user, password, host, path) = (nil, nil, "", String(rest))
    } else {
      let pathStart = rest.firstIndex(of: "/") ?? rest.endIndex
      var path = String(rest[pathStart...])
      while path.hasSuffix("/") { path.removeLast() }
      self.path = path
      var authority = rest[..<pathStart]
      if let at = authority.lastIndex(of: "@") {
        let parts = authority[..<at].split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        user = percentDecoded(String(parts[0]))
        password = parts.count > 1 ? percentDecoded(String(parts[1])) : nil
        authority = authority[authority.index(after: at)...]
      } else {
        (user, password) = (nil, nil)
      }
      host = String(authority)
    }
    if let problem = service.problem(self) {
      throw Sentence(problem, hint: "write it as in \(service.form)")
    }
  }

  /// The segments of the path, decoded.
  var segments: [String] { path.split(separator: "/").map { percentDecoded(String($0)) } }

  /// A value of the query, decoded.
  func parameter(_ name: String) -> String? {
    for part in query.dropFirst().split(separator: "&") {
      let pieces = part.split(separator: "=", maxSplits: 1)
      if pieces.count == 2, pieces[0] == name { return percentDecoded(String(pieces[1])) }
    }
    return nil
  }

  /// The address of the service's interface at a path.
  func address(_ path: String) -> String { "\(scheme)://\(host)\(path)" }

  /// The same, where the host is the service's own unless `server` names another.
  func address(_ path: String, of server: String) -> String {
    let own = parameter("server") ?? server
    return (own.hasSuffix("/") ? String(own.dropLast()) : own) + path
  }

  /// The texts that nothing may show.
  var secrets: [String] { service.secrets(self).filter { !$0.isEmpty } }

  static let type = OptionType<Destination>(
    "destination", sample: "ntfy://ntfy.sh/my-launches", schema: .record([("type", "string")])
  ) { node, checker in
    guard let scalar = checker.resolved(node).scalar else {
      checker.report(
        "expected a destination, not \(checker.resolved(node).kind)", at: node.place,
        hint: "write it as in ntfy://ntfy.sh/my-launches")
      return nil
    }
    do throws(Sentence) {
      let destination = try Destination(scalar.text)
      for secret in destination.secrets { checker.secrets.insert(secret) }
      return destination
    } catch {
      // What is wrong with it may be next to a secret in it.
      if scalar.text.has("://") { checker.secrets.insert(scalar.text) }
      checker.report(error.description, at: node.place, hint: error.hint)
      return nil
    }
  }
}
