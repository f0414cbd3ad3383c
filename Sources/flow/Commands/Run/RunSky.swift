import Fetch
import Engine
import Language
import Reactive
import Sky
import System

/// The simulated sky of `flow run --sky`: it replaces the network and the clock.
struct RunSky: Sendable {
  static let sky = CommandOption(
    "sky", .flag, "run under a simulated sky, which replaces the network and the clock")

  static let about = """
    --sky needs no network: a simulated sky answers all web requests, and the pipelines run by its clock, an hour a \
    second by default (--speed). $meta.simulated is true. No state is kept unless --state names a folder, which then \
    belongs to that sky alone. See flow help sky.
    """

  private let server: SkyServer
  private let clock: SkyClock
  private let summary: String
  /// The simulation that its state is of.
  let simulation: String
  let speed: Speed

  /// Nil without `--sky`.
  init?(_ arguments: Arguments) throws(WrongUse) {
    guard arguments.has(Self.sky) else {
      if let stray = SkyOptions.all.first(where: arguments.has) {
        throw WrongUse("--\(stray.name) needs --sky")
      }
      return nil
    }
    let options = try SkyOptions(arguments)
    guard options.speed > 0 else {
      throw WrongUse("--speed 0 would stop the clock of the run")
    }
    let speed = Speed(options.speed)
    let beginning = speed.now
    let clock = SkyClock(start: options.start, speed: 1) { speed.now - beginning }
    do throws(Sentence) {
      server = try SkyServer(options.sky, isEverywhere: true) { clock.now }
    } catch {
      throw WrongUse("--sky: \(error)")
    }
    (self.speed, self.clock, summary, simulation) = (speed, clock, options.summary, options.simulation)
  }

  /// The time of day under the sky, in seconds since 1970.
  var wallClock: @Sendable () -> Double {
    { [clock] in Double(clock.now.milliseconds) / 1000 }
  }

  /// Where its server is, for those who do not go through `transport`.
  var origin: String { server.url }

  /// The network under the sky.
  func transport(over inner: any Transport) -> any Transport { SkyTransport(over: inner, port: server.port) }

  /// Replaces the world's time with its own.
  func install(in world: inout World) {
    world.speed = speed
    world.wallClock = wallClock
  }

  /// Reports that all is simulated.
  func report(to log: Log) {
    NodeLog(log: log, pipeline: "", node: "sky").notice(
      "\(summary); listening at \(server.url)")
  }
}

/// The network under the sky: the sky answers requests to any host, under the name of that host.
///
/// So budgets and caches belong to the hosts that were requested, and links stay among them.
struct SkyTransport: Transport {
  private let inner: any Transport
  private let port: Int

  /// `port` is where the sky listens on the loopback.
  init(over inner: any Transport, port: Int) {
    self.inner = inner
    self.port = port
  }

  func start(
    _ order: TransferOrder, completion: @escaping @Sendable (Result<TransferResponse, TransferError>) -> Void
  ) -> Subscription {
    var order = order
    order.headers += [
      Header("Host", order.address.site), Header("X-Forwarded-Proto", order.address.scheme.rawValue),
    ]
    order.address = order.address.served(by: "127.0.0.1", port: port)
    return inner.start(order, completion: completion)
  }
}
