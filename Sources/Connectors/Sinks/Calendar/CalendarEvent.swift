import JSON
import Engine
import Language

/// An event of a calendar, as its file has it.
struct CalendarEvent {
  static let cancelled = "STATUS:CANCELLED"

  let uid: String
  /// Its properties and alarms; not those of its version.
  let lines: [String]
  /// The number of changes.
  let sequence: Int
  /// The time of the last change, in seconds since 1970.
  let stamp: Int
  let start: Int
  let end: Int
  let isCancelled: Bool
  /// The event as the file has it, made once: a write of the file then only joins them.
  let bytes: [UInt8]

  init(uid: String, lines: [String], sequence: Int, stamp: Int) {
    self.uid = uid
    self.lines = lines
    self.sequence = sequence
    self.stamp = stamp
    isCancelled = lines.contains(Self.cancelled)
    start = Self.time("DTSTART", lines) ?? 0
    end = Self.time("DTEND", lines) ?? start
    let time = CalendarText.time(stamp)
    let head = [
      "BEGIN:VEVENT", "UID:" + CalendarText.escaped(uid), "DTSTAMP:" + time, "LAST-MODIFIED:" + time,
      "SEQUENCE:\(sequence)",
    ]
    bytes = (head + lines + ["END:VEVENT"]).flatMap(CalendarText.folded)
  }

  /// The time of a property, whatever its parameters.
  private static func time(_ name: String, _ lines: [String]) -> Int? {
    for line in lines where line.hasPrefix(name) {
      let rest = line.dropFirst(name.utf8.count)
      guard rest.first == ":" || rest.first == ";", let colon = rest.firstIndex(of: ":") else { continue }
      return CalendarText.seconds(String(rest[rest.index(after: colon)...]))
    }
    return nil
  }

  /// Its lines when it has been cancelled: without alarms.
  var cancelledLines: [String] {
    var rest: [String] = []
    var isAlarm = false
    for line in lines {
      if line == "BEGIN:VALARM" { isAlarm = true }
      if !isAlarm, !line.hasPrefix("STATUS:") { rest.append(line) }
      if line == "END:VALARM" { isAlarm = false }
    }
    return rest + [Self.cancelled]
  }
}

/// News of one event of the calendar, as it waits in the outbox.
struct CalendarNews: StorableValue, JSONRecord {
  let uid: String
  /// Nil where the event is cancelled.
  var lines: [String]?
  var stamp: Int

  init(uid: String, lines: [String]?, stamp: Int) {
    (self.uid, self.lines, self.stamp) = (uid, lines, stamp)
  }

  static let form = RecordForm<Self>(
    Self.init(uid:lines:stamp:), Field("uid", \.uid), Field("lines", \.lines), Field("stamp", \.stamp))
}
