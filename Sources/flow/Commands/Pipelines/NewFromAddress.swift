import Engine
import Fetch
import Language
import Reactive
import Store

/// `flow new --from URL`: requests the address once and writes a pipeline for the list that it answers with.
enum NewFromAddress {
  /// Whether `--from` names an address, and not a pipeline.
  static func isAddress(_ text: String) -> Bool { text.has("://") }

  /// The text of the pipeline; throws a sentence about what went wrong.
  static func pipeline(named name: String, from text: String) throws -> String {
    let address = try Address(text)
    var request = Request(address)
    request.isTriedOnce = true
    request.limits.whole = .seconds(60)
    let transport = try CurlTransport(
      .init(
        userAgent: "flow/\(VersionCommand.version)",
        proxyEnvironment: ProxyEnvironment { Terminal.environment($0) }))
    let client = Client(
      transport, file: try WebFile(), on: SerialScheduler(name: "flow-new"), wallClock: World.real.wallClock)
    let response = try client.fetch(request)
    return ListSketch(name: name, address: text, response: response.value).text
  }

  /// The name for `https://example.org/stations.json?x=1` is stations.
  static func name(of address: String) -> String {
    let rest = address.split(separator: "?")[0].split(separator: "/")
    guard rest.count > 2, let last = rest.last else { return rest.last.map(String.init) ?? "my-pipeline" }
    return NewCommand.name(of: String(last))
  }
}
