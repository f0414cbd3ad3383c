import Reactive

/// Prices, asked for every ten seconds while there are subscribers; a server that is down is given pauses.
public final class PriceFeed: Sendable {
  /// Each price, for all who are subscribed.
  public let all: Observable<Int>
  /// How many prices the slow consumer has missed.
  public let counters = MailboxCounters()

  public init(on clock: any Scheduler, fetch: @escaping @Sendable () async throws -> Int) {
    all = Observable.timer(after: .zero, every: .seconds(10), on: clock)
      .flatMapFirst { _ in Observable.task(on: clock, fetch) }
      .retry(Backoff(initial: .seconds(1), cap: .seconds(60), jitter: 0), on: clock)
      .share(replay: 1)
  }

  /// The newest price, each time a consumer is ready for one: a slow one holds up nobody.
  public var newest: Observable<Int>.Values {
    all.values(capacity: 1, overflow: .dropOldest, counters: counters)
  }
}
