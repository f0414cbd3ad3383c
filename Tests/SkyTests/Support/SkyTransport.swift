import JSON
import Reactive
import Store

@testable import Fetch
@testable import Nodes
@testable import Pipeline
@testable import Sky

/// A network that is nothing but a sky, at a time that the test sets.
final class SkyTransport: Transport {
  let now: Locked<SkyTime>
  private let sky: Sky
  private let thread = SerialScheduler(name: "sky")

  init(_ sky: Sky, at now: SkyTime = LaunchWorld.start) {
    self.sky = sky
    self.now = Locked(now)
  }

  func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferAnswer, TransferFailure>) -> Void
  ) -> Subscription {
    let path = order.address.text.dropFirst("http://sky".count)
    let request = SkyRequest.get(String(path), headers: order.headers.map { ($0.name, $0.value) })
    let answer = sky.answer(request, at: now.withLock { $0 })
    thread.perform {
      completion(
        .success(
          TransferAnswer(
            status: answer.status, headers: Headers(answer.headers.map { ($0.name, $0.value) }),
            body: answer.body)))
    }
    return Subscription()
  }
}
