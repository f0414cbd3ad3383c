import System
import Reactive

extension Client {
  /// Fetches and blocks the calling thread; it fails as soon as the stop signal is set.
  ///
  /// Not for the thread of the client's scheduler, which `notice` is called on.
  public func fetch(
    _ request: Request, stop: StopSign? = nil,
    notice: @escaping @Sendable (FetchNotice) -> Void = { _ in }
  ) throws(FetchError) -> Response {
    let pending = PendingResult()
    let subscription = start(request, notice: notice) { pending.put($0) }
    while true {
      if let result = pending.take() { return try result.get() }
      if stop?.isSet ?? false {
        subscription.dispose()
        throw FetchError(.cancelled, request, "stopped before the response arrived")
      }
      pending.wakeUp.wait(or: stop)
    }
  }
}

/// A result passed from one thread to another, which waits for it.
private final class PendingResult: Sendable {
  private let content = Locked<Result<Response, FetchError>?>(nil)
  let wakeUp = WakeUp()

  func put(_ result: Result<Response, FetchError>) {
    content.withLock { $0 = result }
    wakeUp.ring()
  }

  func take() -> Result<Response, FetchError>? { content.withLock { $0 } }
}
