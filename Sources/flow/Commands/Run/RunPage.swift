import Engine
import Glibc
import Language
import Page
import Reactive
import System
import Server

/// `--page` of `flow run`: the live web page of the pipelines.
struct RunPage {
  static let page = CommandOption(
    "page", .optional("ADDRESS"),
    "serve a live web page (127.0.0.1:8787), also unix:PATH; port 0 is any free one")
  static let pictures = CommandOption(
    "page-pictures", .flag, "let the page load pictures from other hosts")
  static let name = CommandOption(
    "page-host", .value("NAMES"), "host names under which the page is reached, as through a proxy")

  static let options = [page, pictures, name]

  static let about = """
    --page serves what the sinks page show, at an address of this machine; the line page: on standard error names it. \
    It is live, and complete without JavaScript. Once all sources have ended the page stays until Ctrl-C. An address \
    that other machines can reach requires the token that the line contains. Without an address, --page uses the socket \
    that systemd passes, if there is one. Requests for other host names are refused; --page-host allows more of them, \
    separated by commas.
    """

  private let server: PageServer

  /// Starts the server; nil without `--page`.
  ///
  /// Its hub belongs to the world of the run.
  init?(_ arguments: Arguments, under sky: RunSky?, in world: inout World) throws(WrongUse) {
    guard let given = arguments.text(Self.page) else {
      if let stray = [Self.pictures, Self.name].first(where: arguments.has) {
        throw WrongUse("--\(stray.name) needs --page")
      }
      return nil
    }
    let run = world[RunMonitor.self].map { PageRun($0, speed: world.speed.factor) }
    let hub = PageHub(
      now: world.wallClock, speed: world.speed.factor, pictureOrigin: sky?.origin, run: run)
    world[PageHub.self] = hub
    server = try Self.server(hub, at: given, Self.page, arguments)
  }

  /// A server at the address that an option gives; where that is empty, at the standard one.
  static func server(
    _ hub: PageHub, at given: String, _ option: CommandOption, _ arguments: Arguments
  ) throws(WrongUse) -> PageServer {
    guard let address = given.isEmpty ? PageAddress.standard : PageAddress(given) else {
      throw WrongUse("--\(option.name) cannot be \(quoted(given)); write HOST:PORT or unix:PATH")
    }
    let names = arguments.texts(Self.name).flatMap { $0.split(separator: ",").map(String.init) }
    do {
      let passed = given.isEmpty ? try ListeningSocket(passed: Terminal.environment) : nil
      for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
      return try PageServer(
        hub, at: address, token: token(), names: Set(names + [hostName()]),
        hasPictures: arguments.has(pictures),
        probes: hub.run.map { run in RunMetrics.probes { run.current } }, passed: passed)
    } catch {
      throw WrongUse("--\(option.name): \(error)")
    }
  }

  /// Reports the address.
  func report(_ log: Log) {
    NodeLog(log: log, pipeline: "", node: "page").notice(server.url)
  }

  func stop() { server.stop() }

  /// 128 random bits.
  private static func token() -> String {
    var random = SystemRandomNumberGenerator()
    return String(random.next(), radix: 36) + String(random.next(), radix: 36)
  }
}
