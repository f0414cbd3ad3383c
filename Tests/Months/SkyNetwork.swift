import Foundation
import Reactive

@testable import Fetch
@testable import Sky

/// A transport that asks the sky directly.
final class SkyNetwork: Transport {
  struct Request: Sendable {
    let host: String
    let path: String
    let at: Double
  }

  /// A type of its own, since a bare closure behind a lock is wrapped anew at each call.
  private struct Clock: Sendable {
    let now: @Sendable () -> Double
  }

  let asked = Noted<Request>()
  private let clock: Locked<Clock>
  private let whole = Locked<Double?>(nil)
  private let sky: Sky

  init(_ sky: Sky, at now: SkyTime = LaunchWorld.start) {
    self.sky = sky
    clock = Locked(Clock { Double(now.milliseconds) / 1000 })
  }

  /// The time of day, in seconds since 1970.
  var now: Double { clock.withLock { $0 }.now() }

  func keepTime(_ now: @escaping @Sendable () -> Double) { clock.withLock { $0 = Clock(now: now) } }

  /// Stops the clock at a time.
  func stop(at now: SkyTime) { keepTime { Double(now.milliseconds) / 1000 } }

  /// The time of the last complete answer with status 200.
  var lastWhole: Double? { whole.withLock { $0 } }

  func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
  ) -> Subscription {
    let address = order.address
    asked.note(Request(host: address.site, path: address.path, at: now))
    let query = address.query.map { (name: $0.decodedName, value: $0.decodedValue) }
    let answer = sky.answer(
      SkyRequest(
        method: order.method.rawValue, path: address.path, query: query,
        headers: order.headers.map { ($0.name, $0.value) }, body: order.body,
        origin: "\(address.scheme.rawValue)://\(address.site)"),
      at: SkyTime(milliseconds: Int64(now * 1000)))
    let result: Result<TransferResponse, TransferError>
    switch answer.delivery {
    case .reset: result = .failure(TransferError(.interrupted, "the connection was reset"))
    case .truncated: result = .failure(TransferError(.interrupted, "the body ended before its end"))
    case .whole, .drip:
      if answer.status == 200 { whole.withLock { [now] in $0 = now } }
      result = .success(
        TransferResponse(
          status: answer.status, headers: Headers(answer.headers.map { ($0.name, $0.value) }),
          body: answer.body))
    }
    completion(result)
    return Subscription()
  }
}

extension QueryItem {
  fileprivate var decodedName: String { name.removingPercentEncoding ?? name }
  fileprivate var decodedValue: String { (value ?? "").removingPercentEncoding ?? value ?? "" }
}
