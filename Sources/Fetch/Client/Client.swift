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
  private let called = Locked<Set<String>>([])

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

  /// Starts a fetch; `completion` is called once on the client's scheduler, unless the result is disposed before.
  ///
  /// `notice` is called there with the reason for each wait.
  @discardableResult
  public func start(
    _ request: Request, notice: @escaping @Sendable (FetchNotice) -> Void = { _ in },
    completion: @escaping @Sendable (Result<Response, FetchError>) -> Void
  ) -> Subscription {
    var request = request
    request.knownSecrets = options.secrets.filter { request.contains($0) }
    called.withLock { _ = $0.insert(request.address.site) }
    let fetching = Fetching(request, of: self, notice, completion)
    scheduler.perform { fetching.begin() }
    return fetching.subscription
  }

  /// The seconds since the site's last report on the budget of such a request: infinity for never, nil if the budget
  /// ignores reports.
  public func ageOfLimit(of request: Request) throws(StoreError) -> Double? {
    if budget(of: request.address.site).learnedPeriod == nil { return nil }
    let (budgetKey, now) = (request.budgetKey, wallClock())
    let learned = try file.withLock { file throws(StoreError) in try file.site(budgetKey).learned }
    return learned.map { abs(now - $0.at) } ?? .infinity
  }

  /// Records a site's report on the budget of such a request that did not come in headers.
  public func learn(_ report: BudgetReport, of request: Request) throws(StoreError) {
    let (budgetKey, budget, now) = (request.budgetKey, budget(of: request.address.site), wallClock())
    try transact(budgetKey) { file throws(StoreError) in
      try file.settle(budgetKey, budget, paid: nil, block: nil, report, now: now)
    }
  }

  /// The rest of the budgets of the services that it has called, one entry for each window in force.
  public func remainingBudgets() throws(StoreError) -> [RemainingBudget] {
    let (now, called) = (wallClock(), called.withLock { $0 })
    return try file.withLock { file throws(StoreError) in
      var all: [RemainingBudget] = []
      for key in try file.sites() {
        // An API key has a budget of its own, `SITE#HASH`.
        let site = key.utf8.firstIndex(of: UInt8(ascii: "#")).map { String(key[..<$0]) } ?? key
        guard called.contains(site) else { continue }
        all += BudgetRules(budget(of: site), try file.site(key)).remaining(of: site, at: now)
      }
      return all
    }
  }

  func budget(of site: String) -> SiteBudget { options.budgets[site] ?? .unlimited }
}
