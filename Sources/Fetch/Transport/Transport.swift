import Reactive

/// What carries a request to a server and brings back what it says: libcurl, or a script in a test.
public protocol Transport: Sendable {
  /// Begins a transfer; `completion` is called once, on any thread, unless the result is disposed before.
  ///
  /// Redirects are not followed: they are answers.
  func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferAnswer, TransferFailure>) -> Void
  ) -> Subscription
}

/// A request as it goes over the wire, secrets in clear.
public struct TransferOrder: Sendable, Equatable {
  public var method: Request.Method
  public var address: Address
  public var headers: [Header]
  public var body: [UInt8]
  public var limits: TransferLimits
  /// Where the body goes as it comes; nil for memory.
  public var receiver: (any BodyReceiver)?

  public static func == (left: TransferOrder, right: TransferOrder) -> Bool {
    left.method == right.method && left.address == right.address && left.headers == right.headers
      && left.body == right.body && left.limits == right.limits && left.receiver === right.receiver
  }
}

/// What a server answered.
public struct TransferAnswer: Sendable, Equatable {
  public var status: Int
  public var headers: Headers
  public var body: [UInt8]
  /// As in `2`; nil where it is not known.
  public var httpVersion: String?
  /// How many connections had to be made for it; 0 where one was there already.
  public var newConnections = 0

  public init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// Why a transfer did not come to its end.
public struct TransferFailure: Error, Sendable, Equatable {
  public var kind: FetchError.Kind
  /// `cannot connect: Connection refused`; may have parts of the request in it.
  public var message: String

  public init(_ kind: FetchError.Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }
}
