import Decode
import JSON
import Language
import Reactive
import System

/// A request that was received, and waits to be committed.
final class Webhook: Sendable {
  typealias Pair = (name: String, value: String)

  let path: String
  let query: [Pair]
  /// Names are in lower case.
  let headers: [Pair]
  let body: [UInt8]
  /// The id by which a repeat is recognized; nil without one.
  let id: String?
  /// The suspended connection, as an address.
  let connection: UInt
  /// The values of the body, where it was decoded beside the others.
  let decoded = Locked<Result<[Value], Sentence>?>(nil)
  /// The answer, once there is one.
  let answer = Locked<(status: Int, text: String)?>(nil)

  /// - Parameter isQuery: Whether the row is the query, as that of a GET request, which has no body.
  init(
    isQuery: Bool, path: String, query: [Pair], headers: [Pair], body: [UInt8], id: String?, connection: UInt
  ) {
    if isQuery { decoded.withLock { $0 = .success([formValue(query)]) } }
    (self.path, self.query, self.headers) = (path, query, headers)
    (self.body, self.id, self.connection) = (body, id, connection)
  }

  /// The event with `envelope`.
  func envelope(_ data: Value) -> Value {
    func object(_ pairs: [Pair]) -> Value { .record(pairs.map { ($0.name, .string($0.value)) }) }
    return .record([
      ("path", .string(path)), ("query", object(query)), ("headers", object(headers)), ("data", data),
    ])
  }
}
