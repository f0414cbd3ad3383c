import Reactive
import System

/// The transport of requests to servers: libcurl, or a script in a test.
public protocol Transport: Sendable {
  /// Starts a transfer; `completion` is called once on any thread, unless the result is disposed before.
  ///
  /// Redirects are not followed: they are responses. A browser follows its own.
  func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
  ) -> Subscription
}

/// A request as it is sent, secrets in clear.
public struct TransferOrder: Sendable, Equatable {
  public var method: Request.Method
  public var address: Address
  public var headers: [Header]
  public var body: [UInt8]
  public var limits: TransferLimits
  /// The receiver of the body; nil for memory.
  public var receiver: (any BodyReceiver)?
  /// A mail to send instead of a request.
  public var mail: Mail?
  /// The page to show in a browser instead.
  public var page: PageOrder?

  public static func == (left: TransferOrder, right: TransferOrder) -> Bool {
    left.method == right.method && left.address == right.address && left.headers == right.headers
      && left.body == right.body && left.limits == right.limits && left.receiver === right.receiver
      && left.mail == right.mail && left.page == right.page
  }
}

/// The response of a server.
public struct TransferResponse: Sendable, Equatable {
  public var status: Int
  public var headers: Headers
  public var body: [UInt8]
  /// `2`, say; nil if unknown.
  public var httpVersion: String?
  /// The address that a browser has come to, by redirects that it has followed.
  public var address: Address?
  /// The use that a page has made of the network, for the log.
  public var remark: String?
  /// The picture of a page.
  public var picture: KeptPicture?
  /// The number of new connections; 0 if one was reused.
  public var newConnections = 0

  public init(status: Int, headers: Headers = Headers(), body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }
}

/// The error of a transfer: a `FetchError` before it knows its request.
public struct TransferError: Error, Sendable, Equatable, CustomStringConvertible {
  public var kind: FetchError.Kind
  /// `cannot connect: Connection refused`; not yet redacted.
  public var message: String

  public init(_ kind: FetchError.Kind, _ message: String) {
    self.kind = kind
    self.message = message
  }

  public var description: String { message }
}
