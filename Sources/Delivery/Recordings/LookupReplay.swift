import System
import Fetch
import JSON
import Engine
import Language
import Reactive

/// The replay of lookups from their recording.
///
/// A lookup gets the recorded response of the same step, address and poll; if that poll has none, the last one before it,
/// else the first one after it. Only the positions of the lines are in memory.
public final class LookupReplay: Sendable {
  /// Where one line of the file is.
  private struct Line {
    let at: Double
    let start: Int
    let count: Int
  }

  /// All that was found at one address, in the order in which it was asked.
  private struct Track {
    var lines: [Line] = []
    /// The line that was used last.
    var used = -1

    /// The line for an event of a poll; lines of the same poll are used one after the other.
    mutating func line(at time: Double) -> Line? {
      while used + 1 < lines.count, lines[used + 1].at <= time {
        used += 1
        if lines[used].at == time { break }
      }
      return used < 0 ? lines.first : lines[used]
    }
  }

  private struct State {
    var tracks: [String: Track]?
  }

  private let path: String
  private let mask: @Sendable (String) -> String
  private let state = Locked(State())

  public init(_ path: String, masking: @escaping @Sendable (String) -> String) {
    self.path = path
    mask = masking
  }

  /// Reads where everything is, for the first step that asks.
  func begin(on disk: any Disk, step: String, _ log: NodeLog) throws {
    if state.withLock({ $0.tracks != nil }) { return }
    var tracks: [String: Track] = [:]
    var wrong = 0
    do throws(FileFailure) {
      try eachLine(on: disk) { bytes, start in
        guard let lookup = (try? Value.parse(bytes)).flatMap({ RecordedLookup($0) }) else {
          wrong += 1
          return
        }
        tracks[Self.key(lookup.step, lookup.url), default: Track()].lines.append(
          Line(at: lookup.at, start: start, count: bytes.count))
      }
    } catch {
      throw Sentence(
        "\(step): the recording has no lookups: \(error); --record FOLDER makes one that has")
    }
    if wrong > 0 {
      log.warning(
        "\(path): \(wrong) \(wrong == 1 ? "line is no lookup, and is" : "lines are no lookups, and are") passed over"
      )
    }
    state.withLock { [tracks] in $0.tracks = tracks }
  }

  /// The answer that the recording has for an event of a poll.
  func found(_ request: Request, at time: Double, step: String, on disk: any Disk)
    -> Result<LookupAnswer, any Error>
  {
    // As it was written, to the millisecond.
    let time = parseTimestamp(timestamp(time)) ?? time
    let key = Self.key(step, LookupRecording.name(of: request, masking: mask))
    guard let line = state.withLock({ $0.tracks?[key]?.line(at: time) }) else {
      return .failure(Sentence("\(request): the recording has no such lookup"))
    }
    do {
      let bytes = try read(line, on: disk)
      guard let lookup = RecordedLookup(try Value.parse(bytes)) else {
        return .failure(Sentence("\(path) was changed while it was replayed"))
      }
      return lookup.found.mapError { $0 }
    } catch {
      return .failure(error)
    }
  }

  private static func key(_ step: String, _ url: String) -> String { "\(step)\n\(url)" }

  // MARK: - Reading

  private func open(on disk: any Disk) throws(FileFailure) -> any DiskFile {
    try FileFailure.of(path, trying: "open") { () throws(DiskError) in
      try disk.open(toRead: path, followsLinks: true)
    }
  }

  private func read(_ line: Line, on disk: any Disk) throws(FileFailure) -> [UInt8] {
    try readBytes(try open(on: disk), from: line.start, line.count, of: path)
  }

  /// Hands out each line without its end, and where it begins.
  private func eachLine(on disk: any Disk, _ body: ([UInt8], Int) -> Void) throws(FileFailure) {
    let file = try open(on: disk)
    var rest: [UInt8] = []
    var start = 0
    while true {
      let bytes = try readBytes(file, from: start + rest.count, 1 << 20, of: path)
      // What was left has no end of a line in it.
      var search = rest.count
      rest += bytes
      var begin = 0
      while let end = rest[search...].firstIndex(of: 0x0a) {
        if end > begin { body(Array(rest[begin..<end]), start + begin) }
        (begin, search) = (end + 1, end + 1)
      }
      rest.removeFirst(begin)
      start += begin
      if bytes.isEmpty { break }
    }
    if !rest.isEmpty { body(rest, start) }
  }
}
