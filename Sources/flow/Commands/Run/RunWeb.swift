import Browser
import Delivery
import Fetch
import Engine
import Language
import Reactive
import Store
import System

/// The network access of a run's sources, with the settings of the config.
enum RunWeb {
  static let refresh = CommandOption("refresh", .flag, "ignore the cache")
  static let waitBudget = CommandOption(
    "wait-budget", .value("TIME"), "fail a request that would wait longer for its budget; 0 never waits")
  static let aboutBudget = """
    A request that exceeds the budget of its host waits until it is allowed, which may take an hour. With --wait-budget \
    10m it fails instead if it would wait longer than that, and with --wait-budget 0 at once. The poll fails with the time of \
    the next possible request, and a run with --once exits with 1: right for cron.
    """

  /// Created when the first source needs it, so that other pipelines never load it.
  static func access(
    _ plans: [Plan], _ state: RunState?, under sky: RunSky?, _ arguments: Arguments,
    hiding secrets: Secrets, sharing sites: (any SharedSites)? = nil
  ) throws(WrongUse) -> WebAccess {
    var budgets = WebAccess.budgets
    for plan in plans {
      do throws(TextError) {
        budgets.merge(try WebAccess.budgets(of: plan.config)) { _, own in own }
      } catch {
        throw WrongUse("config.yaml: \(error.message)\(error.hint.map { "; \($0)" } ?? "")")
      }
    }
    let longestWait = try longestBudgetWait(arguments)
    // The responses of one simulated sky are of no use to another, nor to the real services.
    let folder = sky == nil ? plans.first.flatMap { try? state?.folder(of: $0) } : nil
    var browser = try browserSettings(plans)
    browser.pictures = folder.map { "\($0)/pictures" }
    return WebAccess(refreshes: arguments.has(refresh), isSimulated: sky != nil) { [budgets, browser] in
      // Servers on this machine need no proxy.
      let proxyEnvironment = sky == nil ? ProxyEnvironment { Terminal.environment($0) } : ProxyEnvironment()
      let network = try CurlTransport(
        .init(userAgent: "flow/\(VersionCommand.version)", proxyEnvironment: proxyEnvironment))
      let transport = sky?.transport(over: network) ?? BrowserTransport(over: network, browser)
      let file = try folder.map { folder throws(StoreError) in try WebFile(path: WebFile.path(in: folder)) }
      var options = Client.Options(
        budgets: budgets, secrets: secrets.all, longestBudgetWait: longestWait)
      options.sharedSites = sites
      return Client(
        transport, file: try file ?? WebFile(),
        on: SerialScheduler(name: "flow-web", speed: sky?.speed ?? .real),
        wallClock: sky?.wallClock ?? World.real.wallClock,
        options)
    }
  }

  /// The settings of the browser, by the first config that has some.
  private static func browserSettings(_ plans: [Plan]) throws(WrongUse) -> BrowserSettings {
    let config = plans.map(\.config).first { $0.member("browser")?.isNull == false } ?? .null
    do throws(Sentence) {
      return try BrowserSettings(config, folder: Terminal.environment("TMPDIR") ?? "/tmp")
    } catch {
      throw WrongUse("config.yaml: \(error)")
    }
  }

  private static func longestBudgetWait(_ arguments: Arguments) throws(WrongUse) -> Duration? {
    // Zero needs no unit.
    if arguments.text(waitBudget) == "0" { return .zero }
    return try RunOption.duration(arguments.text(waitBudget), waitBudget)
  }
}
