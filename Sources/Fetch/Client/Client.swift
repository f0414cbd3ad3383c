import Reactive
import Store

/// Fetches JSON over HTTP: what is young enough from the cache, the rest from servers, within their budgets, with
/// retries; old answers where nothing newer can be had.
///
///     let client = Client(
///       CurlTransport(), file: try WebFile(path: WebFile.path(in: folder)), on: SerialScheduler(name: "fetch"),
///       wallClock: world.wallClock,
///       .init(budgets: ["ll.thespacedevs.com": SiteBudget([.init(15, per: .seconds(3600))])]))
///     let answer = try client.fetch(request, stop: stop)
///
/// All decisions are made on the scheduler, which is also what waits: with a `VirtualScheduler` and a transport that is
/// a script, hours pass in no time.
public final class Client: Sendable {
  public struct Options: Sendable {
    /// By host, or `host:port` where the port is an unusual one.
    public var budgets: [String: SiteBudget]
    public var retry: RetryPolicy
    /// How much the bodies in the cache may take together.
    public var cacheBytes: Int

    public init(
      budgets: [String: SiteBudget] = [:], retry: RetryPolicy = RetryPolicy(), cacheBytes: Int = 256 << 20
    ) {
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

  /// - Parameters:
  ///   - file: Where the cache and the budgets are.
  ///   - scheduler: Where decisions are made and time is waited for; of its own, not a lane.
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

  /// Begins a fetch; `completion` is called once, on the client's scheduler, unless the result is disposed before.
  ///
  /// `notice` tells there why it takes its time.
  @discardableResult
  public func start(
    _ request: Request, notice: @escaping @Sendable (FetchNotice) -> Void = { _ in },
    completion: @escaping @Sendable (Result<Answer, FetchError>) -> Void
  ) -> Subscription {
    let fetching = Fetching(request, of: self, notice, completion)
    scheduler.perform { fetching.begin() }
    return fetching.subscription
  }

  /// How many requests like this the budget can pay now; nil where there is no limit.
  public func left(of request: Request) throws(StoreFailure) -> Int? {
    let (payer, budget, now) = (request.payer, budget(of: request.address.site), wallClock())
    return try file.withLock { file throws(StoreFailure) in
      Ledger(budget, try file.site(payer)).left(at: now)
    }
  }

  /// How many seconds ago a site's own word on the budget of such a request was heard; infinity for never, and nil
  /// where its word is not asked for.
  public func ageOfLimit(of request: Request) throws(StoreFailure) -> Double? {
    if budget(of: request.address.site).learnedPeriod == nil { return nil }
    let (payer, now) = (request.payer, wallClock())
    let learned = try file.withLock { file throws(StoreFailure) in try file.site(payer).learned }
    return learned.map { abs(now - $0.at) } ?? .infinity
  }

  /// Takes in what a site says of the budget of such a request elsewhere than in headers.
  public func hear(_ report: BudgetReport, of request: Request) throws(StoreFailure) {
    let (payer, budget, now) = (request.payer, budget(of: request.address.site), wallClock())
    try file.withLock { file throws(StoreFailure) in
      try file.settle(payer, budget, paid: nil, block: nil, report, now: now)
    }
  }

  func budget(of site: String) -> SiteBudget { options.budgets[site] ?? .unlimited }
}
