import Glibc
import Engine
import Language
import Sky

/// The options of `flow sky` and `flow run --sky`: which sky, and how its time runs.
struct SkyOptions: Sendable {
  static let seed = CommandOption(
    "seed", .value("N"), "the seed of the sky: the same number gives the same launches (1)")
  static let speed = CommandOption(
    "speed", .value("N"), "seconds of simulated time per real second (3600: an hour a second)")
  static let start = CommandOption("start", .value("TIME"), "when the sky's time begins (2026-01-01)")
  static let faults = CommandOption(
    "faults", .list("LIST", of: SkyFaults.Kind.allCases.map(\.rawValue) + ["all", "none"]),
    "the faults of the sky, each with a rate or without: 429=0.1,5xx (ties)")

  static let from = CommandOption(
    "from", .path("FOLDER"),
    "serve what was recorded there, by flow run --record or flow import, at its own times")

  static let all = [seed, speed, start, faults]

  let sky: Sky
  let speed: Double
  let start: SkyTime
  /// A description in words: how fast its time runs and what goes wrong.
  let summary: String
  /// The simulation, as a state that is of it alone names it.
  let simulation: String

  /// - Parameter recording: What is served instead of simulated services.
  init(_ arguments: Arguments, serving recording: SkyRecording? = nil) throws(WrongUse) {
    let seed = try arguments.number(Self.seed) ?? 1
    let faults = try Self.faults(arguments, isRecorded: recording != nil)
    speed = try Self.speed(arguments)
    if let recording, !arguments.has(Self.start) {
      start = recording.first
    } else {
      start = try Self.start(arguments)
    }
    sky =
      recording.map { Sky(seed: UInt64(seed), faults: faults, services: $0.entries, isRecorded: true) }
      ?? Sky(seed: UInt64(seed), faults: faults)
    let wrong = SkyFaults.Kind.allCases.filter { faults.has($0) && !SkyFaults.usual.has($0) }.map(\.summary)
      .joined(separator: ", ")
    let times = speed == speed.rounded() ? String(Int(speed)) : String(speed)
    simulation = "a sky from seed \(seed)"
    summary =
      (recording.map { "recorded in \(printable($0.folder)) up to \(Self.text($0.last))" }
        ?? "simulated, from seed \(seed)")
      + "; its time begins at \(Self.text(start)) and runs \(times) times as "
      + "fast as ours" + (wrong.isEmpty ? "" : "; now and then there are \(wrong)")
  }

  private static func text(_ time: SkyTime) -> String { timestamp(Double(time.milliseconds) / 1000) }

  private static func speed(_ arguments: Arguments) throws(WrongUse) -> Double {
    guard let text = arguments.text(Self.speed) else { return 3600 }
    guard let number = Double(text), (0...1_000_000_000).contains(number) else {
      throw WrongUse("--speed takes a number from 0 to 1000000000, not \(quoted(text))")
    }
    return number
  }

  private static func start(_ arguments: Arguments) throws(WrongUse) -> SkyTime {
    guard let text = arguments.text(Self.start) else { return LaunchWorld.start }
    guard let time = parseTimestamp(text) else {
      throw WrongUse(
        "--start takes a date or a time in ISO 8601, as 2026-03-01T12:00:00Z, not \(quoted(text))")
    }
    return SkyTime(milliseconds: Int64(time * 1000))
  }

  private static func faults(_ arguments: Arguments, isRecorded: Bool) throws(WrongUse) -> SkyFaults {
    guard let text = arguments.text(Self.faults) else { return isRecorded ? .none : .usual }
    do throws(SkyFaults.InvalidFault) { return try SkyFaults(text, isRecorded: isRecorded) } catch {
      let near = error.unknown.flatMap { nearest(to: $0, among: SkyFaults.Kind.allCases.map(\.rawValue)) }
      throw WrongUse("--faults: \(error.message)\(near.map { "; did you mean \(quoted($0))?" } ?? "")")
    }
  }
}
