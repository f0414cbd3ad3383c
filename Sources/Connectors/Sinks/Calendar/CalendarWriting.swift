import System
import JSON
import Engine
import Language
import Reactive
import Store

/// The writing of a calendar's file, retried a while later where it fails.
struct CalendarWriting {
  private static let pause = Duration.seconds(5)

  private let file: WholeFile
  private let context: SinkContext
  /// Whether the calendar differs from the file.
  var isDue = false
  /// The last entry of the outbox that the calendar has taken in, if the outbox does not know it.
  var place: OutputPlace?
  /// The file as it was last seen.
  private var identity: FileIdentity?
  /// When a failure was last reported, by the lane's clock.
  private var reportedAt: Instant?

  init(_ file: WholeFile, _ context: SinkContext) {
    (self.file, self.context) = (file, context)
  }

  /// Takes over the events of the file.
  mutating func read(into calendar: inout Calendar) throws(FileFailure) {
    guard let bytes = try file.read() else { return }
    file.keepName()
    guard calendar.read(bytes) else {
      throw FileFailure(
        file.path, "was written by another program, and would be lost; name another path, or move it away")
    }
    identity = file.disk.status(of: file.path)?.identity
  }

  /// Writes the file if it is due; throws where it cannot be written and this is the last time.
  mutating func write(_ calendar: inout Calendar, isLast: Bool = false) throws {
    do throws(FileFailure) {
      if isDue {
        try check(calendar)
        crashPoint("ics.writing")
        try file.write(calendar.bytes)
        crashPoint("ics.written")
        identity = file.disk.status(of: file.path)?.identity
        calendar.notePublished()
      }
    } catch {
      if isLast || !error.isPassing { throw error }
      report(error)
      return context.alarm.set(at: context.now + Self.pause)
    }
    if reportedAt != nil { context.log.notice("\(file.path) can be written again") }
    (isDue, reportedAt) = (false, nil)
    if let place { context.outbox?.markWritten(through: place) }
    place = nil
  }

  /// Another program may have put its file there meanwhile.
  private func check(_ calendar: Calendar) throws(FileFailure) {
    guard let status = file.disk.status(of: file.path), status.identity != identity else { return }
    var copy = self
    var other = Calendar(name: calendar.name)
    try copy.read(into: &other)
  }

  private mutating func report(_ failure: FileFailure) {
    if let reportedAt, context.now - reportedAt < .seconds(60) { return }
    reportedAt = context.now
    context.log.error("\(failure); retrying until it can be written")
    context.meter.countError()
  }
}

/// The news of one turn, as they wait in the outbox.
struct CalendarEntry: StorableValue, JSONRecord {
  var news: [CalendarNews]
  /// When the turn was, in seconds since 1970.
  var at: Int

  init(news: [CalendarNews], at: Int) { (self.news, self.at) = (news, at) }

  static let form = RecordForm<Self>(Self.init(news:at:), Field("news", \.news), Field("at", \.at))

  /// Whether an id of a pipeline's state (`…/LIFE-NUMBER`) is not behind another of the same.
  static func isBehind(_ id: String, _ other: String) -> Bool {
    guard let (state, number) = parts(id), let (otherState, otherNumber) = parts(other) else { return false }
    return state == otherState && number <= otherNumber
  }

  private static func parts(_ id: String) -> (state: Substring, number: Int64)? {
    guard let dash = id.lastIndex(of: "-"), let number = Int64(id[id.index(after: dash)...]) else {
      return nil
    }
    return (id[..<dash], number)
  }
}
