import Reactive
import Store

/// An HTTP client for JSON with a cache, request budgets and retries: it serves what is young enough from the cache,
/// fetches the rest within the budgets of the servers, and serves stale responses if a server fails.
///
///     let client = Client(
///       CurlTransport(), file: try WebFile(path: WebFile.path(in: folder)), on: SerialScheduler(name: "fetch"),
///       wallClock: world.wallClock,
///       .init(budgets: ["ll.thespacedevs.com": SiteBudget([.init(15, per: .seconds(3600))])]))
///     let response = try client.fetch(request, stop: stop)
///
/// All decisions and waits run on the scheduler: with a `VirtualScheduler` and a scripted transport, hours pass in no time.
public final class Client: Sendable {
  public struct Options: Sendable {
    /// By host, or by `host:port` for a port that is not the scheme's.
    public var budgets: [String: SiteBudget]
    public var retry: RetryPolicy
    /// The limit for all bodies in the cache.
    public var cacheBytes: Int
    /// Texts to redact in every request that contains them.
    public var secrets: [String]
    /// How long a request may wait for its budget before it fails; nil for as long as it takes.
    public var longestBudgetWait: Duration?
    /// Where budgets are that several machines share; nil for those of this machine.
    public var sharedSites: (any SharedSites)?

    public init(
      budgets: [String: SiteBudget] = [:], retry: RetryPolicy = RetryPolicy(), cacheBytes: Int = 256 << 20,
      secrets: [String] = [], longestBudgetWait: Duration? = nil
    ) {
      self.longestBudgetWait = longestBudgetWait
      self.secrets = secrets
      self.budgets = budgets
      self.retry = retry
      self.cacheBytes = cacheBytes
    }
  }

  let transport: any Transport
  let scheduler: any Scheduler
  let wallClock: @Sendable () -> Double
  let options: Options
  let file: Locked<WebFile>
  /// The sites that were called; others share the file.
  let called = Locked<Set<String>>([])

  /// - Parameters:
  ///   - file: The cache and the budgets.
  ///   - scheduler: A scheduler of its own, not a lane.
  ///   - wallClock: The seconds since 1970.
  public init(
    _ transport: any Transport, file: sending WebFile, on scheduler: any Scheduler,
    wallClock: @escaping @Sendable () -> Double, _ options: Options = Options()
  ) {
    self.transport = transport
    self.scheduler = scheduler
    self.wallClock = wallClock
    self.options = options
    self.file = Locked(file)
  }

  func budget(of site: String) -> SiteBudget { options.budgets[site] ?? .unlimited }
}
