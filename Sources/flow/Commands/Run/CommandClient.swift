import Connectors
import Delivery
import Engine
import Fetch
import Language
import Reactive
import Store
import System

extension Client {
  /// The client of a command that sends a request or two by itself, with the cache and the budgets of all of flow.
  static func ofCommand(_ name: String, hiding secrets: [String] = []) throws -> Client {
    let network = try CurlTransport(
      .init(
        userAgent: "flow/\(VersionCommand.version)",
        proxyEnvironment: ProxyEnvironment { Terminal.environment($0) }))
    return Client(
      network, file: try WebFile(), on: SerialScheduler(name: "flow-\(name)"),
      wallClock: World.real.wallClock, .init(secrets: secrets))
  }
}
