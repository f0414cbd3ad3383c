/// One of the services that the sky imitates: it answers what a moment of its world has to say.
///
/// An answer follows from the request and the time alone, so that the same seed gives the same world at any speed. What a
/// service counts (calls of a client), it counts by that time too.
public protocol SkyService: Sendable {
  /// The answer; nil where the path is none of this service's.
  func answer(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer?
}

/// A moment of the sky's world, in milliseconds since 1970.
public struct SkyTime: Hashable, Comparable, Sendable {
  public var milliseconds: Int64

  public init(milliseconds: Int64) { self.milliseconds = milliseconds }
  public init(seconds: Int) { milliseconds = Int64(seconds) * 1000 }

  public static func < (one: SkyTime, other: SkyTime) -> Bool { one.milliseconds < other.milliseconds }
}

/// What a client asked for.
public struct SkyRequest: Sendable {
  /// In capitals.
  public var method: String
  /// Decoded, without the query: `/2.3.0/launches/upcoming/`.
  public var path: String
  /// Decoded, in the order they came in.
  public var query: [(name: String, value: String)]
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]
  /// `http://127.0.0.1:4711`: what links in answers begin with.
  public var origin: String
  /// Whose calls are counted together: the address it came from.
  public var client: String
  /// By how many rows a list has shifted since the page before this one; a fault, see `SkyFaults`.
  public var shift = 0

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

  /// The first header with this name, which is in small letters.
  public subscript(header name: String) -> String? {
    headers.first { $0.name.lowercased() == name }?.value
  }
}

/// What a service answers.
public struct SkyAnswer: Sendable {
  public var status: Int
  public var headers: [(name: String, value: String)]
  public var body: [UInt8]
  public var delivery = Delivery.whole

  /// How an answer is sent over the wire.
  public enum Delivery: Sendable, Equatable {
    case whole
    /// Whole, but slowly.
    case drip
    /// Half of it, though its length is told; then the connection ends.
    case truncated
    /// Nothing: the connection ends as if the server had crashed.
    case reset
  }

  public init(status: Int = 200, headers: [(name: String, value: String)] = [], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}
