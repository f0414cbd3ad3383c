import Connectors
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
    that other machines can reach, as 0.0.0.0, requires the token that the line contains: that of FLOW_PAGE_TOKEN, or one \
    that is kept with the state, so that it stays. Without an address, --page uses the socket \
    that systemd passes, if there is one. Requests for other host names are refused; --page-host allows more of them, \
    separated by commas.
    """

  private let server: PageServer
  /// The pipelines with pictures that the page does not load.
  private let unpictured: [String]

  /// Starts the server; nil without `--page`.
  ///
  /// Its hub belongs to the world of the run.
  init?(_ arguments: Arguments, _ plans: [Plan], under sky: RunSky?, in world: inout World) throws(WrongUse) {
    try Self.checkStrays(arguments)
    guard let given = arguments.text(Self.page) else { return nil }
    let run = world[(any RunMonitor).self].map { PageRun($0, speed: world.speed.factor) }
    let hub = PageHub(
      now: world.wallClock, speed: world.speed.factor, pictureOrigin: sky?.origin, run: run)
    world[PageHub.self] = hub
    let isPictured = arguments.has(Self.pictures)
    unpictured = plans.filter { plan in !isPictured && plan.sinks.contains { PageForm.hasPicture($0) } }.map(
      \.name)
    let folder = arguments.has(RunState.none) ? nil : PageToken.folder(arguments)
    server = try Self.server(hub, at: given, Self.page, arguments, tokenIn: folder)
  }

  /// Refuses options of a page without one.
  static func checkStrays(_ arguments: Arguments) throws(WrongUse) {
    if arguments.has(page) { return }
    if let stray = [pictures, name].first(where: arguments.has) {
      throw WrongUse("--\(stray.name) needs --page")
    }
  }

  /// The address that an option gives; where that is empty, the standard one.
  static func address(_ given: String, _ option: CommandOption) throws(WrongUse) -> PageAddress {
    if let address = given.isEmpty ? PageAddress.standard : PageAddress(given) { return address }
    throw WrongUse("--\(option.name) cannot be \(quoted(given)); write HOST:PORT or unix:PATH")
  }

  /// A server at the address that an option gives, whose token is kept in a folder.
  static func server(
    _ hub: PageHub, at given: String, _ option: CommandOption, _ arguments: Arguments, tokenIn folder: String?
  ) throws(WrongUse) -> PageServer {
    let address = try address(given, option)
    let token = try PageToken.given()
    let names = arguments.texts(Self.name).flatMap { $0.split(separator: ",").map(String.init) }
    do {
      let passed = given.isEmpty ? try ListeningSocket(passed: Terminal.environment) : nil
      for name in ["LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES"] { unsetenv(name) }
      return try PageServer(
        hub, at: address, token: token ?? Self.token(in: folder), names: Set(names + [hostName()]),
        hasPictures: arguments.has(pictures),
        probes: hub.run.map { run in RunMetrics.probes { run.current } }, passed: passed)
    } catch {
      throw WrongUse("--\(option.name): \(error)")
    }
  }

  /// The token that is kept in a folder; another one at each start where none can be.
  static func token(in folder: String?) -> String {
    guard let folder else { return PageToken.random() }
    do throws(Sentence) { return try PageToken.kept(in: folder) } catch {
      Terminal.complain("flow: \(error)\n")
      return PageToken.random()
    }
  }

  /// Reports the addresses, and pictures that are not loaded.
  func report(_ log: Log) {
    let log = NodeLog(log: log, pipeline: "", node: "page")
    for url in server.urls { log.notice(url) }
    if unpictured.isEmpty { return }
    log.notice("pictures of \(unpictured.joined(separator: ", ")) are not loaded; --page-pictures allows it")
  }

  func stop() { server.stop() }
}
