/// Takes the body of an answer in pieces, as they come, in place of memory.
///
/// What calls it is the transport's thread: it is not to be kept waiting.
public protocol BodyReceiver: AnyObject, Sendable {
  /// An answer begins, be it a redirect or an error; whether its body is to go to `take`.
  ///
  /// Else it is kept in memory. A transport that knows nothing of receivers does not ask.
  func begin(_ status: Int, _ headers: Headers) -> Bool
  /// The next piece; false when no more is taken, which ends the transfer.
  func take(_ bytes: UnsafeRawBufferPointer) -> Bool
}
