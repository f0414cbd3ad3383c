import System
import CGlibc
import Glibc
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
      pending.wait(or: stop?.descriptor ?? -1)
    }
  }
}

/// A result passed from one thread to another, which waits for it and for something else.
private final class PendingResult: Sendable {
  private let content = Locked<Result<Response, FetchError>?>(nil)
  private let descriptor = flow_eventfd()

  deinit { if descriptor >= 0 { close(descriptor) } }

  func put(_ result: Result<Response, FetchError>) {
    content.withLock { $0 = result }
    var one: UInt64 = 1
    if descriptor >= 0 { _ = write(descriptor, &one, 8) }
  }

  func take() -> Result<Response, FetchError>? { content.withLock { $0 } }

  func wait(or other: Int32) {
    var entries = [
      pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
      pollfd(fd: other, events: Int16(POLLIN), revents: 0),
    ]
    // If no descriptor is available, it checks again periodically.
    _ = poll(&entries, 2, descriptor >= 0 ? -1 : 50)
  }
}
