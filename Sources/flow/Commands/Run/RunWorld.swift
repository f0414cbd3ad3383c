import Engine
import Language

/// The world of a run: the real one, a simulated sky, or recordings in virtual time; real polls may be recorded.
struct RunWorld {
  let recording: RunRecording
  /// Nil unless the sky is simulated.
  let sky: RunSky?
  /// Whether the sources are recordings, which run in virtual time.
  let isVirtual: Bool
  let outputs: OutputPolicy

  init(_ settings: RunSettings, _ plans: [Plan]) throws(WrongUse) {
    let arguments = settings.arguments
    recording = try RunRecording(arguments, plans)
    isVirtual = try recording.isVirtual(plans)
    if isVirtual {
      if arguments.has(RunSky.sky) {
        let names = plans.map(\.name).joined(separator: ", ")
        throw WrongUse(
          "--sky cannot be combined with a recording: each has a clock of its own; it is for pipelines that ask "
            + "launch_library, spacex or apod, and \(names) \(plans.count == 1 ? "replays" : "replay") what is recorded"
        )
      }
      if settings.time != nil {
        throw WrongUse("--for counts the time of a clock, and recordings run in virtual time")
      }
      for option in [RunMetrics.file, RunPage.page] where arguments.has(option) {
        throw WrongUse("--\(option.name) needs a clock, and recordings run in virtual time")
      }
    }
    sky = try RunSky(arguments)
    outputs = try RunOutputs.outputs(
      arguments,
      of: sky != nil
        ? .sky : isVirtual ? .replay(isOption: arguments.has(RunRecording.replay)) : .real)
  }

  /// Whether it is another than the real one: it neither reads nor changes the state of real runs.
  var isSimulated: Bool { isVirtual || sky != nil }

  /// The simulation that a state belongs to; nil in the real world.
  var simulation: String? { sky?.simulation ?? (isVirtual ? "replays" : nil) }

  /// Replaces the clock, the network and the sources as far as they are not real.
  func install(in options: inout RunOptions, masking secrets: Secrets) {
    options.outputs = outputs
    sky?.install(in: &options.world)
    recording.install(in: &options, masking: secrets)
  }
}
