import System
/// The rules for redirects: the next request, or why the redirect is not followed.
///
/// A redirect within a host that drops the query gets it back. Redirects from https to http or to another scheme are
/// not followed, and secrets do not go to another host.
enum Redirects {
  static let limit = 8

  static func isRedirect(_ status: Int) -> Bool { [301, 302, 303, 307, 308].contains(status) }

  static func next(
    of request: Request, _ status: Int, location: String?, hops: Int
  ) throws(FetchError) -> Request {
    func refusal(_ words: String) -> FetchError {
      FetchError(.redirect, request, "\(statusText(status)) \(words)")
    }
    guard hops < limit else { throw refusal("after \(limit) redirects, which probably form a loop") }
    guard let location, !location.isEmpty else { throw refusal("without a target") }
    var target: Address
    do throws(Sentence) { target = try request.address.following(location) } catch {
      throw refusal("to an invalid address: \(error)")
    }
    if request.address.scheme == .https, target.scheme == .http {
      throw refusal("from https to http (\(target)), which is not encrypted")
    }
    if target.query.isEmpty, target.host == request.address.host { target.query = request.address.query }
    var next = request.moved(to: target)
    if status == 303, request.method != .head {
      next.method = .get
      next.body = []
    } else if status < 303, request.method != .get, request.method != .head {
      throw refusal("for a \(request.method.rawValue); use the address \(target) instead")
    }
    return next
  }
}
