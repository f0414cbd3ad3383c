import Reactive
import System

extension Client {
  /// Fetches while the calling task is suspended, so that no thread waits; it fails as soon as the stop signal is set.
  public func response(
    to request: Request, stop: StopSign, notice: @escaping @Sendable (FetchNotice) -> Void = { _ in }
  ) async throws(FetchError) -> Response {
    let ending = stop.ending.child()
    let result = await withCheckedContinuation { continuation in
      let first = Locked<CheckedContinuation<Result<Response, FetchError>, Never>?>(continuation)
      let finish: @Sendable (Result<Response, FetchError>) -> Void = { result in
        first.withLock { $0.take() }?.resume(returning: result)
      }
      let fetch = start(request, notice: notice) { result in
        finish(result)
        ending.dispose()
      }
      ending.onDispose {
        fetch.dispose()
        finish(.failure(FetchError(.cancelled, request, "stopped before the response arrived")))
      }
    }
    return try result.get()
  }
}
