import Fetch
import JSON
import Pipeline
import Reactive

/// The way to the network that sources are handed with the world: one client for all of them, made when the first asks.
public final class WebAccess: Sendable {
  /// What the services take, where the config says nothing else.
  public static let budgets = [
    // What anybody may; of a key the service tells when it is asked.
    "ll.thespacedevs.com": SiteBudget(
      [.init(15, per: .seconds(3600))], learnedPeriod: .seconds(3600)),
    // What the key DEMO_KEY may.
    "api.nasa.gov": SiteBudget(
      [.init(30, per: .seconds(3600)), .init(50, per: .seconds(86400))], learnedPeriod: .seconds(3600)),
  ]

  /// What `budgets` in a config says: `{ api.nasa.gov: 1000 in 1h }`, or a list of such limits a host.
  public static func budgets(of config: Value) throws -> [String: SiteBudget] {
    var budgets: [String: SiteBudget] = [:]
    try config.member("budgets")?.forEachMember { host, limits in
      let windows = try (limits.items ?? [limits]).map { limit in
        let budget = try AtMost(limit.string ?? limit.description)
        return SiteBudget.Window(budget.number, per: budget.period)
      }
      budgets[host.string ?? ""] = SiteBudget(windows)
    }
    return budgets
  }

  private let make: @Sendable () throws -> Client
  private let made = Locked<Client?>(nil)
  /// Whether answers that are kept are asked for anew.
  let refreshes: Bool
  /// Whether the services are imitated, which `$meta` says.
  let isSimulated: Bool

  public init(
    refreshes: Bool = false, isSimulated: Bool = false,
    _ make: @escaping @Sendable () throws -> Client
  ) {
    self.make = make
    self.refreshes = refreshes
    self.isSimulated = isSimulated
  }

  /// The client that a sink sends with, made at once, so that what can never be sent is known before anything starts;
  /// nil in a dry run, and where there is no network, as in a replay: see ``OfflineSkips``.
  static func client(for context: SinkContext) throws -> Client? {
    context.isDryRun ? nil : try context.lane.world[WebAccess.self]?.client()
  }

  func client() throws -> Client {
    if let client = made.withLock({ $0 }) { return client }
    let client = try make()
    return made.withLock { made in
      let first = made ?? client
      made = first
      return first
    }
  }
}

/// There is no network where the pipeline runs: in a rehearsal, say.
struct NoNetwork: Error, CustomStringConvertible {
  let description = "there is no network here"
}

extension StopSign: StopSignal {}
