import Engine
import JSON
import NATS

/// How far a stream has been read, as it is stored with the pipeline's state.
struct StreamProgress {
  private let stream: String
  /// When the stream was created that the sequence belongs to.
  private var created: String
  /// The sequence of the last message that was read; 0 for none.
  private var last: UInt64
  private var startTime: String?
  /// Whether there is a place to begin at.
  private(set) var isKnown: Bool

  init(_ stream: String, _ stored: Value?) {
    self.stream = stream
    created = stored?.member("created")?.string ?? ""
    last = stored?.member("sequence")?.string.flatMap { UInt64($0) } ?? 0
    isKnown = stored?.member("stream")?.string == stream
  }

  /// Sequences as text, since a double does not represent all of them; `follow`, so that a run that has read everything
  /// does not make the next one begin again.
  var position: Value {
    .record([
      ("stream", .string(stream)), ("created", .string(created)), ("sequence", .string("\(last)")),
      ("follow", .bool(true)),
    ])
  }

  /// The first message that has not been read.
  var next: UInt64 { last + 1 }

  var start: StreamReader.Start { startTime.map { .time($0) } ?? .sequence(next) }

  mutating func begin(behind sequence: UInt64, in info: StreamReader.Info) {
    (last, created, isKnown) = (sequence, info.created, true)
  }

  mutating func begin(at time: String, in info: StreamReader.Info) {
    begin(behind: 0, in: info)
    startTime = time
  }

  mutating func advance(to sequence: UInt64) {
    last = max(last, sequence)
    startTime = nil
  }

  /// Whether it is that of a stream of this name.
  func isOf(_ stream: String) -> Bool { self.stream == stream }

  private func isSame(_ info: StreamReader.Info) -> Bool { created.isEmpty || created == info.created }

  /// Whether more was read of the same stream than it has.
  func isAhead(of info: StreamReader.Info) -> Bool { isKnown && isSame(info) && last > info.last }

  /// Begins again where the stream is not the one that was read; whether that is so.
  @discardableResult
  mutating func compare(with info: StreamReader.Info, _ log: NodeLog) -> Bool {
    if isSame(info), last <= info.last {
      created = info.created
      return false
    }
    log.warning("the stream \(stream) was replaced since it was read; it is read from its beginning")
    begin(behind: 0, in: info)
    return true
  }

  /// Reports messages that the stream has dropped before they were read; of some subjects, there may be none among them.
  func noteDropped(before first: UInt64, to subjects: String?, _ log: NodeLog) {
    guard startTime == nil, last > 0, first > next else { return }
    let what = subjects.map { "were removed, and those to \($0), if there were any, were not read" }
    log.warning(
      "messages \(next) to \(first - 1) of the stream \(stream) \(what ?? "were removed before they were read")"
    )
  }
}
