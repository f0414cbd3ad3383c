import Engine
import Glibc
import JSON
import Language
import System

/// Follows a file of JSON lines that grows, through rotation, truncation, removal and return.
///
/// Only whole lines are handed out; a file that gives its name to another is read to its end first, and then a last
/// line without a line break is one too. What is written over at once with at least as much as was read before is
/// taken for the same text: no file system tells the difference.
final class FollowedFile {
  private let stop: StopSign
  private let follower: FileFollower
  private let window: TextWindow
  private let lines: LineValues
  private let limits: ReadLimits
  private let caughtUp: () -> Void
  /// The file that had the name at the beginning; nil where none had, and when all of it has been handed out.
  private var found: (file: FileIdentity, size: Int)?
  private var hasCaughtUp = false
  private var batches = Batches()

  /// `caughtUp` is called once, when everything has been handed out that was there at the beginning.
  init(
    _ path: String, from start: FileFollower.Start, stop: StopSign, limits: ReadLimits = ReadLimits(),
    polls: Bool = false,
    report: @escaping (BadText) -> Void, note: @escaping (FileChange) -> Void = { _ in },
    caughtUp: @escaping () -> Void = {}
  ) {
    self.stop = stop
    self.limits = limits
    self.caughtUp = caughtUp
    var status = stat()
    if stat(path, &status) == 0 { found = (FileIdentity(status), Int(status.st_size)) }
    follower = FileFollower(path, from: start, polls: polls, note: note)
    window = TextWindow(chunk: limits.chunk, limit: limits.value)
    lines = LineValues(DecoderInput(path: path, window: window, limits: limits, report: report))
  }

  /// Which file it is; nil while there is none.
  var identity: FileIdentity? { follower.identity }

  /// Where in the file a follower would have to begin to give what this one has not given yet, and how many values it
  /// would have to pass over there.
  var position: (offset: Int, values: Int) { batches.position(end: window.position) }

  /// The fingerprint of what lies before that place.
  var fingerprint: FileFingerprint? { follower.fingerprint(upTo: position.offset) }

  /// The next values, waiting for them; none once it has been stopped.
  func nextBatch() throws(FileFailure) -> [Value] {
    while true {
      if stop.isSet { return [] }
      if let batch = batches.next(limits.batch) { return batch }
      if let found, found.file == identity, found.size <= window.position + window.count { catchUp() }
      batches.begin(at: window.position)
      follower.arm()
      if try advance() || !batches.isEmpty { continue }
      catchUp()
      follower.wait(stop)
    }
  }

  private func catchUp() {
    found = nil
    if hasCaughtUp { return }
    hasCaughtUp = true
    caughtUp()
  }

  /// Reads on; false when there is nothing to do but to wait.
  private func advance() throws(FileFailure) -> Bool {
    var step = FileFollower.Step.nothing
    let count = try window.fill { room throws(FileFailure) in
      step = try follower.next(into: room)
      return if case .bytes(let count) = step { count } else { 0 }
    }
    // Nothing was read where the window was full: its values make room.
    if count == nil { step = .bytes(0) }
    switch step {
    case .bytes: lines.take(into: &batches.values)
    case .began(let offset, let inLine):
      window.restart(at: offset)
      lines.restart(inLine: inLine)
    case .ended:
      // What has no line break is the last line. It is handed out with a position in its own file.
      window.finish()
      lines.take(into: &batches.values)
    case .closed: window.restart()
    case .nothing: return false
    }
    return true
  }
}
