import Fetch
import System

/// Server-sent events, known by their content type as soon as the head of the response is there: they may have no end.
final class FoundStream: BodyReceiver {
  /// Set where the response is one.
  let sign = StopSign()

  func begin(_ status: Int, _ headers: Headers) -> Bool {
    let isStream = status == 200 && headers["content-type"]?.lowercased().has("text/event-stream") == true
    if isStream { sign.set() }
    return isStream
  }

  func take(_ bytes: UnsafeRawBufferPointer) -> Bool { false }
}
