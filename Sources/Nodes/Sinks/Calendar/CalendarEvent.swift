import JSON
import Engine
import Language

/// An event of a calendar, as its file has it.
struct CalendarEvent: Equatable {
  let uid: String
  /// What it says: its lines but for those that say which version it is.
  var lines: [String]
  /// How often it was changed.
  var sequence = 0
  /// When it was changed last, in seconds since 1970.
  var stamp: Int

  static let cancelled = "STATUS:CANCELLED"

  var isCancelled: Bool { lines.contains(Self.cancelled) }

  /// The value of a property, whatever its parameters.
  func value(_ name: String) -> String? {
    for line in lines where line.hasPrefix(name) {
      let rest = line.dropFirst(name.utf8.count)
      guard rest.first == ":" || rest.first == ";", let colon = rest.firstIndex(of: ":") else { continue }
      return String(rest[rest.index(after: colon)...])
    }
    return nil
  }

  var start: Int { value("DTSTART").flatMap(CalendarText.seconds) ?? 0 }
  var end: Int { value("DTEND").flatMap(CalendarText.seconds) ?? start }

  /// The same, not taking place any more: without alarms.
  var withdrawn: CalendarEvent {
    var copy = self
    copy.lines = []
    var isAlarm = false
    for line in lines {
      if line == "BEGIN:VALARM" { isAlarm = true }
      if !isAlarm, !line.hasPrefix("STATUS:") { copy.lines.append(line) }
      if line == "END:VALARM" { isAlarm = false }
    }
    copy.lines.append(Self.cancelled)
    return copy
  }

  /// All its lines.
  var text: [String] {
    let time = CalendarText.time(stamp)
    return ["BEGIN:VEVENT", "UID:" + CalendarText.escaped(uid), "DTSTAMP:" + time, "LAST-MODIFIED:" + time]
      + ["SEQUENCE:\(sequence)"] + lines + ["END:VEVENT"]
  }
}

/// What a sink is told of an event of its calendar, as it waits in the outbox.
struct CalendarNews: Remembered {
  let uid: String
  /// Nil where the event is to be no more.
  var lines: [String]?
  var stamp: Int

  init(uid: String, lines: [String]?, stamp: Int) {
    (self.uid, self.lines, self.stamp) = (uid, lines, stamp)
  }

  init?(remembered value: Value) {
    guard let uid = value.member("uid")?.string, let stamp = value.member("stamp")?.double else { return nil }
    self.init(
      uid: uid, lines: value.member("lines")?.items?.compactMap(\.string),
      stamp: Int(exactly: stamp.rounded()) ?? 0)
  }

  var remembered: Value {
    var members: [(String, Value)] = [("uid", .string(uid)), ("stamp", .number(stamp))]
    if let lines { members.append(("lines", .array(lines.map { .string($0) }))) }
    return .record(members)
  }
}
