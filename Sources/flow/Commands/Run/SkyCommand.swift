import Glibc
import Sky

/// `flow sky`: the services, simulated, on a port of this machine.
enum SkyCommand {
  static let port = CommandOption("port", .value("N"), "where it listens; 0 is any that is free (0)")

  static let manual = Manual(
    "sky", "serve a simulated sky on this machine", options: SkyOptions.all + [port],
    about: """
      For demonstrations, tests and work without a network: launches are announced, slip, hold, fly and fail as they \
      do in the real feeds, but faster. The first line on standard output is its address, for the url of a source; \
      http://…/ tells what is there. All answers say X-Simulated. It listens on the loopback alone, until Ctrl-C \
      or SIGTERM.

      Whoever asks the host lldev.thespacedevs.com, as pipelines may under flow run --sky, gets what that host has: a \
      third of the launches, as they were on Monday, and as many calls as he likes.

      Faults: \(SkyFaults.Kind.allCases.map { "\($0.rawValue) (\($0.summary))" }.joined(separator: ", ")); all is \
      each by its usual rate, a rate is a share from 0 to 1. The rate of past, empty and partial is the share of every two \
      days with such a poll, that of withdrawn and absent the share of the launches. ties is on by default, since the \
      real service is like that: ordering=net,id breaks the ties, ties=0 or none turns it off.
      """,
    examples: [
      ("flow sky --port 8080 --speed 86400", "a day a second"),
      ("flow sky --faults 429=0.1,5xx,truncate", "a bad day for a client"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let options = try SkyOptions(arguments)
    let port = try arguments.number(port, in: 0...65535) ?? 0
    // Before any thread is started, so that all have them blocked and only `wait` sees them.
    let signals = SignalSet([SIGINT, SIGTERM])
    signals.block()
    let beginning = ContinuousClock.now
    let clock = SkyClock(start: options.start, speed: options.speed) { .now - beginning }
    let server: SkyServer
    do throws(SkyServer.Failure) {
      server = try SkyServer(options.sky, port: port) { clock.now }
    } catch {
      Terminal.complain("flow sky: \(error)\n")
      return ExitStatus.failed
    }
    Terminal.say(server.url + "\n")
    Terminal.complain("flow sky: all of this is simulated, \(options.said)\n")
    let signal = signals.wait(until: nil)
    server.stop()
    return signal == SIGINT ? ExitStatus.interrupted : ExitStatus.done
  }
}
