import Decode
import Engine
import Glibc
import JSON
import Language
import System

/// Follows a growing file of lines through rotation, truncation, removal and return.
///
/// Only whole lines are returned. A file that is rotated is read to its end first, where the last line may lack a line
/// break. If a file is overwritten at once with at least as much as was read before, it is taken for the same text;
/// file systems do not show the difference.
final class FollowedFile {
  private let stop: StopSign
  private let follower: FileFollower
  private let window: TextWindow
  private let lines: any LineDecoder
  private let limits: ReadLimits
  private let caughtUp: () -> Void
  /// The file that had the name at the start; nil if there was none, and when all of it has been returned.
  private var found: (file: FileIdentity, size: Int)?
  private var hasCaughtUp = false
  private var batches = Batches()

  /// `caughtUp` is called once, when everything that existed at the start has been returned.
  init(
    _ path: String, _ decoding: Decoding = .json, from start: FileFollower.Start, cut: [ReadContent] = [],
    stop: StopSign,
    limits: ReadLimits = ReadLimits(),
    polls: Bool = false,
    report: @escaping (BadText) -> Void, note: @escaping (FileChange) -> Void = { _ in },
    caughtUp: @escaping () -> Void = {}
  ) {
    self.stop = stop
    self.limits = limits
    self.caughtUp = caughtUp
    var status = stat()
    if stat(path, &status) == 0 { found = (FileIdentity(status), Int(status.st_size)) }
    follower = FileFollower(path, from: start, cut: cut, polls: polls, note: note)
    window = TextWindow(chunk: limits.chunk, limit: limits.value)
    lines = decoding.lineDecoder(path, window, limits, report: report)
  }

  /// The identity of the current file; nil while there is none.
  var identity: FileIdentity? { follower.identity }

  /// The offset at which another follower would have to begin to return what this one has not, and the number of values
  /// to skip there.
  var position: (offset: Int, values: Int) { batches.position(end: window.position) }

  /// The fingerprint of the content before that offset.
  var fingerprint: FileFingerprint? { follower.fingerprint(upTo: position.offset) }

  /// The contents that were read of files that were cut since.
  var cut: [ReadContent] { follower.cut }

  /// Waits for the next values; empty once stopped.
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

  /// Reads more; false if there is nothing to do but wait.
  private func advance() throws(FileFailure) -> Bool {
    var step = FileFollower.Step.nothing
    let count = try window.fill { room throws(FileFailure) in
      step = try follower.next(into: room)
      return if case .bytes(let count) = step { count } else { 0 }
    }
    // Nothing was read if the window was full: its values make room.
    if count == nil { step = .bytes(0) }
    switch step {
    case .bytes: lines.take(into: &batches.values)
    case .began(let offset, let inLine):
      window.restart(at: offset)
      lines.restart(inLine: inLine)
    case .ended:
      // A last line without a line break is returned with a position in its own file.
      window.finish()
      lines.take(into: &batches.values)
    case .closed: window.restart()
    case .nothing: return false
    }
    return true
  }
}
