import System
import Fetch
import JSON
import Engine
import Language
import Reactive

/// The network as part of the world: one client for all nodes, created for the first that needs it.
public final class WebAccess: Sendable {
  /// The budgets of services, unless the config has others.
  public static let budgets = [
    // Without a key; with one, the service reports the limit.
    "ll.thespacedevs.com": SiteBudget(
      [.init(15, per: .seconds(3600))], learnedPeriod: .seconds(3600)),
    // With the key DEMO_KEY.
    "api.nasa.gov": SiteBudget(
      [.init(30, per: .seconds(3600)), .init(50, per: .seconds(86400))], learnedPeriod: .seconds(3600)),
  ]

  /// The `budgets` of a config: `{ api.nasa.gov: 1000 in 1h }`, or a list of such limits for a host.
  ///
  /// The error names the host.
  public static func budgets(of config: Value) throws(TextError) -> [String: SiteBudget] {
    var budgets: [String: SiteBudget] = [:]
    guard let given = config.member("budgets"), given.kind != .null else { return budgets }
    guard given.kind == .object else {
      let hint = "as in budgets: { api.example.org: 30 in 1h }"
      throw TextError(
        "budgets is a mapping of hosts to limits, not \(printable(given.description))", in: "", hint: hint)
    }
    var members = given.members
    while let (name, limits) = members.next() {
      let host = name.string ?? ""
      var windows: [SiteBudget.Window] = []
      for limit in limits.items ?? [limits] {
        do throws(TextError) {
          let budget = try AtMost(limit.string ?? limit.description)
          windows.append(.init(budget.number, per: budget.period))
        } catch {
          throw TextError("budgets: \(printable(host)): \(error.message)", at: error.range, hint: error.hint)
        }
      }
      budgets[host] = SiteBudget(windows)
    }
    return budgets
  }

  private let make: @Sendable () throws -> Client
  private let made = Locked<Client?>(nil)
  /// Whether to bypass the cache.
  private let refreshes: Bool
  /// The time before which the cache counts as older than the state of the pipeline.
  private let cacheBegin: Double
  /// Called with each poll that is made of old answers alone, and their age; nil where services are asked.
  let showsOld: ShowsOld?
  /// Called with the source, the entry of its list where it has one, and the age in seconds.
  package typealias ShowsOld = @Sendable (_ source: String, _ entry: Entry?, _ age: Double) -> Void
  /// Whether the services are simulated, as `$meta` reports.
  let isSimulated: Bool

  public init(
    refreshes: Bool = false, isSimulated: Bool = false,
    _ make: @escaping @Sendable () throws -> Client
  ) {
    self.make = make
    self.refreshes = refreshes
    self.isSimulated = isSimulated
    cacheBegin = -.infinity
    showsOld = nil
  }

  private init(
    _ whole: WebAccess, from time: Double,
    showsOld: ShowsOld? = nil
  ) {
    make = { try whole.client() }
    (refreshes, isSimulated, cacheBegin) = (whole.refreshes && showsOld == nil, whole.isSimulated, time)
    self.showsOld = showsOld
  }

  /// The last good answers alone, however old; nothing is asked.
  ///
  /// `note` is called with each poll that is made of some that
  /// are old.
  package func onlyCached(_ note: @escaping ShowsOld) -> WebAccess {
    WebAccess(self, from: cacheBegin, showsOld: note)
  }

  /// The same network for a pipeline that another machine ran until then: what this machine cached before may be older
  /// than what the pipeline has seen, and would be reported as a change.
  public func takenOver(at time: Double) -> WebAccess { WebAccess(self, from: time) }

  /// A request with what this access says about the cache.
  package func adapted(_ request: Request) -> Request {
    var request = request
    request.refresh = request.refresh || refreshes
    request.cache?.since = cacheBegin
    request.isFromCacheOnly = showsOld != nil
    return request
  }

  /// The network of a sink's deliveries; nil in a dry run, and where there is none.
  ///
  /// Where sources are simulated, requests go to the real network, and files come from the simulated one.
  package static func forDelivery(of deliverable: Deliverable, in context: SinkContext) -> WebAccess? {
    if context.isDryRun { return nil }
    let world = context.lane.world
    let (sources, live) = (world[WebAccess.self], world[LiveWeb.self]?.access)
    return deliverable == .file ? sources ?? live : live ?? sources
  }

  /// The budgets of the services that were used; empty before the first request.
  public func budgets() -> [BudgetStatus] {
    let remaining = (try? made.withLock { $0 }?.remainingBudgets()) ?? []
    return remaining.map {
      BudgetStatus(
        host: $0.site, limit: $0.window.limit, period: $0.window.period.inSeconds, remaining: $0.remaining,
        next: $0.next)
    }
  }

  package func client() throws -> Client {
    if let client = made.withLock({ $0 }) { return client }
    let client = try make()
    return made.withLock { made in
      let first = made ?? client
      made = first
      return first
    }
  }
}

/// The real network for the sinks of a run whose sources are simulated or replayed; a tool of the world.
public struct LiveWeb: Sendable {
  let access: WebAccess

  public init(_ access: WebAccess) { self.access = access }
}

/// The error of a pipeline without a network, as in a test.
extension Sentence {
  package static let noNetwork = Sentence("this run has no network")
}
