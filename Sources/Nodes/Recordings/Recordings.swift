import System
import JSON
import Engine
import Language

/// A folder of recordings: one for each source, and one for the lookups of steps.
///
/// A run writes it, or is replayed from it.
///
///     recordings.record(in: &options, masking: secrets.masked)  // polls, and stores each poll
///     recordings.replay(in: &options, masking: secrets.masked)  // replays the stored polls
public struct Recordings: Sendable {
  public let folder: String

  public init(folder: String) { self.folder = folder }

  /// The file of a source.
  public func path(of source: String) -> String { "\(folder)/\(safePathPart(source)).jsonl" }

  /// The file of all lookups.
  public var lookupsPath: String { "\(folder)/lookups.jsonl" }

  /// Records a run; `masking` redacts secrets in what is written.
  public func record(in options: inout RunOptions, masking: @escaping @Sendable (String) -> String) {
    options.source = recording(masking: masking)
    options.world[LookupRecording.self] = LookupRecording(lookupsPath, masking: masking)
  }

  /// Replays a recorded run.
  public func replay(in options: inout RunOptions, masking: @escaping @Sendable (String) -> String) {
    options.source = replaying()
    options.world[LookupReplay.self] = LookupReplay(lookupsPath, masking: masking)
  }

  /// The replacement for a polled source: it polls as before and records each poll, with errors redacted by `masking`.
  func recording(
    masking: @escaping @Sendable (String) -> String
  ) -> @Sendable (SourcePlan) -> Maker? {
    { source in
      guard case .poll(let make) = source.spec.maker as? Maker else { return nil }
      let path = path(of: source.name)
      return .poll { options, context in
        RecordedSource(
          try make(options, context), RecordingFile(path, on: context.world.disk, context.log),
          stop: context.stop, masking)
      }
    }
  }

  /// The replacement for a polled source: its recording.
  func replaying() -> @Sendable (SourcePlan) -> Maker? {
    { source in
      guard case .poll = source.spec.role else { return nil }
      let path = path(of: source.name)
      return .script(endsWithScript: true) { options in
        guard let coverage = source.spec.coverage else { return try Replay(path) { _ in .complete } }
        let limit = try RecordedLimit.of(path)
        return try Replay(path) { coverage(options, $0, limit) }
      }
    }
  }
}

/// A source whose polls are written down as they come.
private final class RecordedSource: PollSource {
  private let source: any PollSource
  private let file: RecordingFile
  private let stop: StopSign
  private let mask: @Sendable (String) -> String

  init(
    _ source: any PollSource, _ file: RecordingFile, stop: StopSign,
    _ mask: @escaping @Sendable (String) -> String
  ) {
    self.source = source
    self.file = file
    self.stop = stop
    self.mask = mask
  }

  func poll(_ poll: PollRequest) throws -> PollAnswer {
    do {
      let answer = try source.poll(poll)
      file.add(recorded(answer, at: answer.at ?? poll.at))
      return answer
    } catch {
      // That the run was stopped is no news of the service.
      if !stop.isSet { file.add(RecordedPoll(at: poll.at, .error(mask("\(error)")))) }
      throw error
    }
  }

  /// A poll without the secrets that its rows repeat.
  private func recorded(_ answer: PollAnswer, at time: Double) -> RecordedPoll {
    let text = Value.array(answer.rows).description
    let shown = mask(text)
    var rows = answer.rows
    if shown != text {
      // A secret that is no text in the JSON leaves none behind.
      guard let cleaned = (try? Value.parse(shown))?.items else {
        return RecordedPoll(at: time, .error("the answer repeats a secret, and is not recorded"))
      }
      rows = cleaned
    }
    return RecordedPoll(at: time, .rows(rows, notes: answer.notes, coverage: answer.coverage))
  }
}
