import Glibc
import Pipeline
import Sky

/// `flow sky`: the services, simulated, on a port of this machine.
enum SkyCommand {
  static let seed = Option("seed", .value("N"), "which sky: the same number gives the same launches (1)")
  static let speed = Option(
    "speed", .value("N"), "seconds of the sky's time in one of ours (3600: an hour a second)")
  static let start = Option("start", .value("TIME"), "when its time begins (2026-01-01)")
  static let port = Option("port", .value("N"), "where it listens; 0 is any that is free (0)")
  static let faults = Option(
    "faults", .list("LIST", of: SkyFaults.Kind.allCases.map(\.rawValue) + ["all", "none"]),
    "what goes wrong, with a rate or without: 429=0.1,5xx (none)")

  static let manual = Manual(
    "sky", "serve a simulated sky on this machine", options: [seed, speed, start, port, faults],
    about: """
      For demonstrations, tests and work without a network: launches are announced, slip, hold, fly and fail as they \
      do in the real feeds, but faster. The first line on standard output is its address, for the url of a source; \
      http://…/ tells what is there. All answers say X-Simulated. It listens on the loopback alone, until Ctrl-C \
      or SIGTERM.

      Faults: \(SkyFaults.Kind.allCases.map { "\($0.rawValue) (\($0.summary))" }.joined(separator: ", ")); all is \
      each by its usual rate, a rate is a share from 0 to 1.
      """,
    examples: [
      ("flow sky --port 8080 --speed 86400", "a day a second"),
      ("flow sky --faults 429=0.1,5xx,truncate", "a bad day for a client"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let seed = try arguments.number(seed) ?? 1
    let port = try arguments.number(port, in: 0...65535) ?? 0
    let speed = try speed(arguments)
    let start = try start(arguments)
    let faults = try faults(arguments)
    // Before any thread is started, so that all have them blocked and only `wait` sees them.
    let signals = SignalSet([SIGINT, SIGTERM])
    signals.block()
    let beginning = ContinuousClock.now
    let clock = SkyClock(start: start, speed: speed) { .now - beginning }
    let server: SkyServer
    do throws(SkyServer.Failure) {
      server = try SkyServer(Sky(seed: UInt64(seed), faults: faults), port: port) { clock.now }
    } catch {
      Terminal.complain("flow sky: \(error)\n")
      return ExitStatus.failed
    }
    Terminal.say(server.url + "\n")
    Terminal.complain(said(seed: seed, start: start, speed: speed, faults))
    let signal = signals.wait(until: nil)
    server.stop()
    return signal == SIGINT ? ExitStatus.interrupted : ExitStatus.done
  }

  private static func said(seed: Int, start: SkyTime, speed: Double, _ faults: SkyFaults) -> String {
    let begin = timestamp(Double(start.milliseconds) / 1000)
    let pace = speed == speed.rounded() ? "\(Int(speed))" : "\(speed)"
    var text = "flow sky: all of this is simulated, from seed \(seed)\n"
    text += "flow sky: its time begins at \(begin) and runs \(pace) times as fast as ours\n"
    let wrong = SkyFaults.Kind.allCases.filter(faults.has).map(\.summary)
    if !wrong.isEmpty { text += "flow sky: now and then there will be \(wrong.joined(separator: ", "))\n" }
    return text
  }

  // MARK: - Options

  private static func speed(_ arguments: Arguments) throws(WrongUse) -> Double {
    guard let text = arguments.text(speed) else { return 3600 }
    guard let number = Double(text), (0...1_000_000_000).contains(number) else {
      throw WrongUse("--speed takes a number from 0 to 1000000000, not \(quoted(text))")
    }
    return number
  }

  private static func start(_ arguments: Arguments) throws(WrongUse) -> SkyTime {
    guard let text = arguments.text(start) else { return LaunchWorld.start }
    guard let time = parseTimestamp(text) else {
      throw WrongUse(
        "--start takes a date or a time in ISO 8601, as 2026-03-01T12:00:00Z, not \(quoted(text))")
    }
    return SkyTime(milliseconds: Int64(time * 1000))
  }

  private static func faults(_ arguments: Arguments) throws(WrongUse) -> SkyFaults {
    guard let text = arguments.text(faults) else { return .none }
    do throws(SkyFaults.Wrong) { return try SkyFaults(text) } catch {
      let near = error.unknown.flatMap { nearest(to: $0, among: SkyFaults.Kind.allCases.map(\.rawValue)) }
      throw WrongUse("--faults: \(error.message)\(near.map { "; did you mean \(quoted($0))?" } ?? "")")
    }
  }
}
