import Prices
import Reactive
import ReactiveTesting
import Synchronization
import Testing

@Suite struct PriceFeedTests {
  /// A server whose price rises with each request; the first requests fail.
  private final class Server: Sendable {
    let requests = Atomic<Int>(0)
    let failures: Int

    init(failures: Int = 0) { self.failures = failures }

    func price() throws -> Int {
      let number = requests.add(1, ordering: .relaxed).newValue
      if number <= failures { throw MarbleFailure() }
      return number
    }
  }

  @Test func onePollServesAllAndEndsWithTheLast() {
    let clock = VirtualScheduler()
    let server = Server()
    let feed = PriceFeed(on: clock) { try server.price() }
    let first = clock.record(feed.all, until: .seconds(25))
    let late = clock.record(feed.all, from: .seconds(12), until: .seconds(35))
    clock.run()
    #expect(first.elements == [1, 2, 3])
    #expect(late.elements == [2, 3, 4])
    #expect(server.requests.load(ordering: .relaxed) == 4)
  }

  @Test func aServerThatIsDownIsGivenPauses() {
    let clock = VirtualScheduler()
    let server = Server(failures: 2)
    let feed = PriceFeed(on: clock) { try server.price() }
    let recording = clock.record(feed.all, until: .seconds(5))
    clock.run()
    #expect(recording.drawing.line == "---3")
  }

  @Test func aSlowConsumerGetsTheNewestPrice() {
    let clock = VirtualScheduler()
    let server = Server()
    let feed = PriceFeed(on: clock) { try server.price() }
    let slow = Observable.task(on: clock) {
      var prices: [Int] = []
      for try await price in feed.newest {
        prices.append(price)
        if prices.count == 3 { break }
        try await Task.sleep(for: .seconds(34), clock: clock)
      }
      return prices
    }
    let fast = clock.record(feed.all, until: .seconds(65))
    let recording = clock.record(slow)
    clock.run()
    #expect(fast.elements == [1, 2, 3, 4, 5, 6, 7])
    #expect(recording.elements == [[1, 4, 7]])
    #expect(feed.counters.droppedCount == 4)
  }
}
