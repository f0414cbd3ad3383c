// What a simulated service is: a function of a request and a time.

import JSON

/// A simulated service.
///
/// An answer follows from the seed, the request and the time alone, so that the same seed gives the same world at any
/// speed. The calls of a client are counted by that time too.
public protocol SkyService: Sendable {
  /// The answer; nil if the path belongs to another service.
  func answer(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer?
}

/// A moment in the sky's time, in milliseconds since 1970.
public struct SkyTime: Hashable, Comparable, Sendable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }
  public init(seconds: Int) { milliseconds = Int64(seconds) * 1000 }

  static let distantFuture = SkyTime(milliseconds: .max)

  public static func < (one: SkyTime, other: SkyTime) -> Bool { one.milliseconds < other.milliseconds }
}

/// A request of a client.
public struct SkyRequest: Sendable {
  /// In upper case.
  public var method: String
  /// Decoded, without the query: `/2.3.0/launches/upcoming/`.
  public var path: String
  /// Decoded, in the order of the query.
  public var query: [(name: String, value: String)]
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]
  /// `http://127.0.0.1:4711`, with which links in answers begin.
  public var origin: String
  /// The client's address; rate limits apply to each client.
  public var client: String
  /// The faults of its list of launches, see `SkyFaults`.
  var listFaults = ListFaults()

  struct ListFaults: Sendable {
    /// By how many rows the list has shifted since the previous page.
    var shift = 0
    /// The seed of the order of launches of the same date; nil for their ids.
    var ties: UInt64?
    /// The glitch that replaces the list: `past`, `empty` or `partial`.
    var glitch: SkyFaults.Kind?
    /// Whether a page has its first two launches again, the second of them with another date.
    var isTwice = false
  }

  public init(
    method: String = "GET", path: String, query: [(name: String, value: String)] = [],
    headers: [(name: String, value: String)] = [], body: [UInt8] = [], origin: String = "http://127.0.0.1",
    client: String = "127.0.0.1"
  ) {
    self.method = method
    self.path = path
    self.query = query
    self.headers = headers
    self.body = body
    self.origin = origin
    self.client = client
  }

  /// The first parameter of the query with this name.
  public subscript(parameter name: String) -> String? {
    query.first { $0.name == name }?.value
  }

  /// The first header with this name, which is in lower case.
  public subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }
}

/// An answer of a service.
public struct SkyAnswer: Sendable {
  public var status: Int
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]
  public var delivery = Delivery.whole

  /// How an answer is sent.
  public enum Delivery: Sendable, Equatable {
    case whole
    /// Whole, but slowly.
    case drip
    /// Half of its body under the full Content-Length; then the connection is closed.
    case truncated
    /// Nothing: the connection is reset, as if the server had crashed.
    case reset
  }

  public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

extension SkyAnswer {
  /// An answer of one type with a text.
  static func text(
    _ status: Int = 200, _ body: String, type: String, headers: [(name: String, value: String)] = []
  ) -> SkyAnswer {
    SkyAnswer(status: status, headers: [("Content-Type", type)] + headers, body: Array(body.utf8))
  }
}

// MARK: - Texts and values

/// Reads the data files, which are embedded in the program.
enum SkyData {
  /// The rows of a table, each a line with `|` between its columns; lines that begin with `#` are comments.
  static func rows(_ file: [UInt8]) -> [[String]] {
    String(decoding: file, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }.map {
      $0.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
    }
  }

  /// A file of JSON; tests read all of them.
  static func json(_ file: [UInt8]) -> Value { (try? Value.parse(file)) ?? .null }

  /// A recorded value with an origin before each of its links, which begin with a slash.
  static func linked(_ value: Value, to origin: String) -> Value {
    var environment = Environment()
    environment.variables = ["origin": .string(origin)]
    return (try? links?.evaluator(environment).first(value)) ?? value
  }

  private static let links = try? Program(
    #"walk(if type == "string" and startswith("/") then $origin + . else . end)"#, variables: ["origin"])
}

extension Value: ExpressibleByStringInterpolation, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral {
  public init(stringLiteral text: String) { self = .string(text) }
  public init(booleanLiteral flag: Bool) { self = .bool(flag) }
  public init(integerLiteral number: Int) { self = .number(number) }
}

extension Value {
  /// An object of these members, whose names are distinct, in this order.
  static func record(_ members: KeyValuePairs<String, Value>) -> Value {
    .object(Shape(members.map { Key($0.key) }), members.map(\.value))
  }

  static func text(_ text: String?) -> Value { text.map { .string($0) } ?? .null }
  static func count(_ number: Int?) -> Value { number.map { .number($0) } ?? .null }
  /// To the second.
  static func moment(_ time: SkyTime) -> Value { .string(time.iso) }

  /// The object with further members, which replace those of the same names.
  func adding(_ members: KeyValuePairs<String, Value>) -> Value {
    var object = self
    for (name, value) in members { object.setMember(Key(name), value) }
    return object
  }
}

extension String {
  /// Whether this value of `If-None-Match` names an entity tag, weak or strong, or is a star.
  func hasTag(_ tag: String) -> Bool {
    func strong(_ tag: some StringProtocol) -> Substring {
      tag.hasPrefix("W/") ? Substring(tag).dropFirst(2) : Substring(tag)
    }
    return split(separator: ",").contains { part in
      let part = part.drop { $0 == " " }
      let end = part.lastIndex { $0 != " " }.map { part.index(after: $0) } ?? part.startIndex
      return part[..<end] == "*" || strong(part[..<end]) == strong(tag)
    }
  }
}
