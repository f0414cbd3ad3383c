import Fetch
import Reactive
import System

/// The body of a response that goes on: filled by the transport, read by the thread of a source.
///
/// Beyond `room` bytes that wait in it, the transfer pauses.
final class StreamedBody: BodyReceiver, ByteSource {
  static let room = 1 << 20

  private struct State: Sendable {
    var bytes: [UInt8] = []
    var head: Headers?
    var end: Result<Response, FetchError>?
  }

  private let state = Locked(State())
  private let wakeUp = WakeUp()
  private let stop: StopSign
  /// When it is read no more; nil for never.
  private let end: Instant?

  init(stop: StopSign, until end: Instant? = nil) { (self.stop, self.end) = (stop, end) }

  // MARK: - For the transport

  var isFull: Bool { state.withLock { $0.bytes.count } >= Self.room }

  func begin(_ status: Int, _ headers: Headers) -> Bool {
    if status != 200 { return false }
    change { $0.head = headers }
    return true
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool {
    change { $0.bytes += bytes }
    return true
  }

  func end(_ result: Result<Response, FetchError>) { change { $0.end = result } }

  private func change(_ body: (inout State) -> Void) {
    state.withLock { body(&$0) }
    wakeUp.ring()
  }

  // MARK: - For the source

  /// Waits for the head of the response; nil where there is none that has a body to read, or the source must stop.
  func head() -> Headers? {
    while true {
      let (head, isOver) = state.withLock { ($0.head, $0.end != nil) }
      if head != nil || isOver || stop.isSet { return head }
      wakeUp.wait(or: stop)
    }
  }

  /// How the transfer has ended; nil while it goes on.
  var result: Result<Response, FetchError>? { state.withLock { $0.end } }

  /// Whether the rest of the text is missing: the transfer has failed, or the source must stop.
  var isCutShort: Bool {
    if case .success? = result { return stop.isSet }
    return true
  }

  /// Waits for bytes; 0 at the end, and where the source must stop, or its time is over.
  func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    while !stop.isSet, end.map({ MonotonicClock.now < $0 }) ?? true {
      let (count, isOver) = state.withLock { state in
        let count = min(buffer.count, state.bytes.count)
        state.bytes.withUnsafeBytes {
          buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[..<count]))
        }
        state.bytes.removeFirst(count)
        return (count, state.end != nil)
      }
      if count > 0 || isOver { return count }
      wakeUp.wait(or: stop)
    }
    return 0
  }
}
