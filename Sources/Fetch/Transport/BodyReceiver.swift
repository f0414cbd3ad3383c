/// A receiver of a response's body, in pieces as they arrive, so that large bodies need no memory.
///
/// It is called on the transport's thread and must not block it.
public protocol BodyReceiver: AnyObject, Sendable {
  /// A response begins, possibly a redirect or an error; true to receive its body in `take`, false to keep it in
  /// memory.
  ///
  /// Transports without support for receivers do not call it.
  func begin(_ status: Int, _ headers: Headers) -> Bool
  /// Receives a piece; false ends the transfer.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool
  /// Whether it has no room now: the transfer pauses until it has.
  var isFull: Bool { get }
}

extension BodyReceiver {
  public var isFull: Bool { false }
}
