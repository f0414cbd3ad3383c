import Fetch
import Nodes
import Engine
import Language
import Reactive
import Sky

/// What `flow run --sky` puts in the place of the network and of time: a simulated sky on this machine, and its clock.
struct RunSky: Sendable {
  static let sky = CommandOption(
    "sky", .flag, "run under a simulated sky: its answers for the network's, its time for ours")

  static let about = """
    --sky needs no network: whatever the pipelines ask of the web is answered by a simulated sky, and they run by its \
    time, an hour a second by default (--speed). It keeps no state unless --state names a folder, which is then the state \
    of that sky alone; $meta.simulated is true. See flow help sky.
    """

  private let server: SkyServer
  private let clock: SkyClock
  private let said: String
  /// The world that its state is of.
  let world: String
  let speed: Speed

  /// Nil where the sky is not asked for.
  init?(_ arguments: Arguments) throws(WrongUse) {
    guard arguments.has(Self.sky) else {
      if let stray = SkyOptions.all.first(where: arguments.has) {
        throw WrongUse("--\(stray.name) is about the simulated sky; say --sky too")
      }
      return nil
    }
    let options = try SkyOptions(arguments)
    guard options.speed > 0 else {
      throw WrongUse("--speed 0 would have the sky stand still, and the run with it")
    }
    // Before the server starts its threads, so that none of them takes a signal for the run's.
    SignalSet.ofRuns.block()
    let speed = Speed(options.speed)
    let beginning = speed.now
    let clock = SkyClock(start: options.start, speed: 1) { speed.now - beginning }
    do throws(SkyServer.Failure) {
      server = try SkyServer(options.sky, isEverywhere: true) { clock.now }
    } catch {
      throw WrongUse("--sky: \(error)")
    }
    (self.speed, self.clock, said, world) = (speed, clock, options.said, options.world)
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
  func stand(in world: inout World) {
    world.speed = speed
    world.wallClock = wallClock
  }

  /// Reports that all is simulated.
  func tell(_ log: Log) {
    NodeLog(log: log, pipeline: "", node: "sky").notice(
      "all of this is simulated, \(said); it listens at \(server.url)")
  }
}

/// The network under the sky: whoever is asked, the sky answers, and says where it is as the one who was asked would.
///
/// So nothing has to know of it: budgets and caches are kept for the hosts that they are for, and links stay among them.
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
