/// Tells a thread that waits to stop: a flag to ask, and a descriptor that becomes readable, for `poll(2)`.
public protocol StopSignal: Sendable {
  var isSet: Bool { get }
  var descriptor: Int32 { get }
}
