import Glibc
import Language
import Sky
import System

/// `flow sky`: serves the simulated services on a local port.
enum SkyCommand {
  static let port = CommandOption("port", .value("N"), "the port to listen on; 0 for any free one (0)")

  static let manual = Manual(
    "sky", "serve a simulated sky on this machine", options: [SkyOptions.from] + SkyOptions.all + [port],
    about: """
      For demonstrations, tests and work without a network: launches are announced, slip, hold, fly and fail as in the \
      real feeds, but faster. The first line on standard output is the address, for the url of a source; http://…/ \
      lists the services. All responses have the header X-Simulated. It listens only on the loopback, until Ctrl-C or \
      SIGTERM.

      Simulated are version 2.3.0 of Launch Library 2, with its lists of launches and single launches, and APOD. Recorded \
      are versions 2.2.0 and 2.0.0, ten launches each, and the SpaceX API with its launches, rockets and launch pads: \
      they never change, and their queries are those that flow's sources send.

      With --from it serves a recording: the list of a source at /SOURCE as it was at the sky's time, as JSON, whole or in \
      pages (?limit=100&offset=0, with links), with ETags. Time begins with the first poll. Where a poll had failed, the \
      answer is 503 until the next; after the last poll the list stays as it is. Faults are those of any service, as 429 and \
      drip.

      Faults: \(SkyFaults.Kind.allCases.map { "\($0.rawValue) (\($0.summary))" }.joined(separator: ", ")); all \
      enables every fault at its default rate; rates are probabilities from 0 to 1. For past, empty and \
      partial the rate is the share of two-day periods with such a poll, for withdrawn and absent the share of launches. \
      ties is on by default, as in the real service: ordering=net,id breaks ties, and ties=0 or none turns it off.
      """,
    examples: [
      ("flow sky --port 8080 --speed 86400", "a day per second"),
      ("flow sky --faults 429=0.1,5xx,truncate", "a bad day for a client"),
      ("flow sky --from rec --speed 86400", "a recorded month in half a minute"),
    ])

  static let command = Command(reporting: manual) { arguments in
    let recording = try arguments.text(SkyOptions.from).map { folder in
      guard let recording = try SkyRecording(folder) else {
        throw WrongUse("--from: there is no recording in \(printable(folder)); flow run --record makes one")
      }
      return recording
    }
    let options = try SkyOptions(arguments, serving: recording)
    let port = try arguments.number(port, in: 0...65535) ?? 0
    // Before any thread is started, so that all threads have the signals blocked and only `wait` receives them.
    let signals = SignalSet([SIGINT, SIGTERM])
    signals.block()
    let beginning = ContinuousClock.now
    let clock = SkyClock(start: options.start, speed: options.speed) { .now - beginning }
    let server: SkyServer
    do throws(Sentence) {
      server = try SkyServer(options.sky, port: port) { clock.now }
    } catch {
      Terminal.complain("flow sky: \(error)\n")
      return ExitStatus.failed
    }
    Terminal.say(server.url + "\n")
    Terminal.complain("flow sky: \(options.summary)\n")
    let signal = signals.wait(until: nil)
    server.stop()
    return signal == SIGINT ? ExitStatus.interrupted : ExitStatus.done
  }
}
