import Delivery
import Decode
import System
import JSON
import Engine
import Language
import Reactive

/// A folder of recordings: one for each source, and one for the lookups of steps.
///
/// A run writes it, or is replayed from it.
///
///     recordings.record(in: &options, masking: secrets.masked)  // polls, and stores each poll
///     recordings.replay(in: &options, masking: secrets.masked)  // replays the stored polls
public struct Recordings: Sendable {
  public let folder: String

  public init(folder: String) {
    // Messages have the paths of its files.
    var folder = folder
    while folder.count > 1, folder.hasSuffix("/") { folder.removeLast() }
    self.folder = folder
  }

  /// The file of a source.
  public func path(of source: String) -> String { "\(folder)/\(safePathPart(source)).jsonl" }

  /// The file of all lookups.
  public var lookupsPath: String { "\(folder)/lookups.jsonl" }

  /// Whether the recording of a source holds polls of the simulated sky; nil without a poll that succeeded.
  public func isSimulated(_ source: String) -> Bool? {
    guard let file = try? InputFile(path(of: source)) else { return nil }
    let reader = ValueReader(file, path: path(of: source), limits: ReadLimits(value: 1 << 30)) { _ in }
    while let values = try? reader.nextBatch(), !values.isEmpty {
      if let poll = values.first(where: { $0.member("rows") != nil }) {
        return [poll, poll.member("meta")].contains { $0?.member("simulated")?.isTruthy ?? false }
      }
    }
    return nil
  }

  /// The sources that have a recording here, by the names of the files.
  package var sources: [String] {
    let files = (try? namesOfFiles(in: folder)) ?? []
    return files.filter { $0.hasSuffix(".jsonl") && "\(folder)/\($0)" != lookupsPath }.map {
      String($0.dropLast(6))
    }
    .sorted()
  }

  /// The polls of a source, in order: what next() of the result gives, until it gives nil.
  package func polls(of source: String) throws -> any ScriptSource {
    try Replay(path(of: source)) { _ in .complete }
  }

  /// Records a run; `masking` redacts secrets in what is written.
  public func record(
    in options: inout RunOptions, isSimulated: Bool = false, masking: @escaping @Sendable (String) -> String
  ) {
    options.source = recording(isSimulated: isSimulated, masking: masking)
    options.world[LookupRecording.self] = LookupRecording(lookupsPath, masking: masking)
  }

  /// Replays a recorded run.
  public func replay(in options: inout RunOptions, masking: @escaping @Sendable (String) -> String) {
    options.source = replaying()
    options.world[LookupReplay.self] = LookupReplay(lookupsPath, masking: masking)
  }

  /// The replacement for a polled source: it polls as before and records each poll, with errors redacted by `masking`.
  func recording(
    isSimulated: Bool = false, masking: @escaping @Sendable (String) -> String
  ) -> @Sendable (SourcePlan) -> Maker? {
    { source in
      let file = SharedRecording(path(of: source.name))
      return (source.spec.maker as? Maker)?.mapPolls { one, context in
        RecordedSource(one, PollRecorder(file, context, isSimulated: isSimulated, masking))
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
  private let recorder: PollRecorder

  init(_ source: any PollSource, _ recorder: PollRecorder) {
    self.source = source
    self.recorder = recorder
  }

  func ask(
    _ poll: PollRequest, on scheduler: any Scheduler,
    _ answered: @escaping @Sendable (Result<PollAnswer, any Error>) -> Void
  ) {
    source.ask(poll, on: scheduler) { [recorder] result in
      recorder.note(result, of: poll)
      answered(result)
    }
  }
}

/// The recorder of a source's polls.
private struct PollRecorder: Sendable {
  private let file: SharedRecording
  private let context: SourceContext
  private let isSimulated: Bool
  private let mask: @Sendable (String) -> String

  init(
    _ file: SharedRecording, _ context: SourceContext, isSimulated: Bool,
    _ mask: @escaping @Sendable (String) -> String
  ) {
    self.file = file
    self.context = context
    self.isSimulated = isSimulated
    self.mask = mask
  }

  func note(_ result: Result<PollAnswer, any Error>, of poll: PollRequest) {
    switch result {
    case .success(let answer): file.add(recorded(answer, at: answer.at ?? poll.at), context)
    case .failure(let wait as any PollFailure) where wait.isWait && context.entry != nil:
      // It is put off, and has not failed.
      return
    case .failure(let error):
      // That the run was stopped is no news of the service.
      if !context.stop.isSet { file.add(failed(mask("\(error)"), at: poll.at), context) }
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
        return failed("the answer repeats a secret, and is not recorded", at: time)
      }
      rows = cleaned
    }
    var notes = answer.notes
    notes.merge(entryNotes)
    return recorded(.rows(rows, notes: notes, coverage: answer.coverage), at: time)
  }

  /// A failed poll, which may be that of one entry of a list.
  private func failed(_ reason: String, at time: Double) -> RecordedPoll {
    recorded(.error(reason, notes: entryNotes), at: time)
  }

  /// The notes of the entry of a list; without the entry where it has a secret that is more than a text in it.
  private var entryNotes: Value {
    guard let notes = context.entry?.notes else { return .emptyObject }
    let text = notes.description
    let shown = mask(text)
    return shown == text ? notes : (try? Value.parse(shown)) ?? .emptyObject
  }

  private func recorded(_ content: RecordedPoll.Content, at time: Double) -> RecordedPoll {
    RecordedPoll(at: time, content, isSimulated: isSimulated)
  }
}

/// The recording of a source, which the polls of all its entries share; opened for the first of them.
private final class SharedRecording: Sendable {
  private let path: String
  private let file = Locked<LaneLocal<RecordingFile>?>(nil)

  init(_ path: String) { self.path = path }

  func add(_ poll: RecordedPoll, _ context: SourceContext) {
    file.withLock { file in
      let open = file ?? LaneLocal(RecordingFile(path, on: context.world.disk, context.log))
      file = open
      open.value.add(poll)
    }
  }
}
