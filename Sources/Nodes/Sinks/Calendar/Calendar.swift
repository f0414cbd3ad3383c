import Engine
import Language

/// The events of a calendar file: what it says of each, and how news change that.
struct Calendar {
  static let product = "PRODID:-//flow//ics//EN"
  private static let throughName = "X-FLOW-THROUGH:"

  var name: String
  /// How many events there may be, and how long cancelled ones stay after their end, in seconds.
  var limit = 10_000
  var keep = 30 * 86400
  private(set) var events: [String: CalendarEvent] = [:]
  /// The id of the last news that the file was made of, so that none are taken twice.
  var through = ""

  init(name: String) { self.name = name }

  /// Takes over what a file says that a calendar of this kind has written; false for the file of another program.
  ///
  /// Whatever else is in it is passed over.
  mutating func read(_ bytes: [UInt8]) -> Bool {
    let lines = CalendarText.unfolded(bytes)
    if lines.isEmpty { return true }
    guard lines.first == "BEGIN:VCALENDAR", lines.contains(Self.product) else { return false }
    var event: [String]?
    for line in lines {
      if line == "BEGIN:VEVENT" {
        event = []
      } else if line == "END:VEVENT" {
        if let found = event.flatMap(CalendarEvent.init(read:)) { events[found.uid] = found }
        event = nil
      } else if event != nil {
        event?.append(line)
      } else if line.hasPrefix(Self.throughName) {
        through = CalendarText.unescaped(String(line.dropFirst(Self.throughName.count)))
      }
    }
    return true
  }

  mutating func take(_ news: CalendarNews) {
    let old = events[news.uid]
    var new: CalendarEvent
    if let lines = news.lines {
      new = CalendarEvent(uid: news.uid, lines: lines, stamp: news.stamp)
    } else {
      // Of what nobody has heard of nothing is cancelled.
      guard let old, !old.isCancelled else { return }
      new = old.withdrawn
      new.stamp = news.stamp
    }
    if let old {
      if old.lines == new.lines { return }
      new.sequence = old.sequence + 1
      new.stamp = max(new.stamp, old.stamp)
    }
    events[news.uid] = new
  }

  /// Lets go of cancelled events that ended long before a time, and of those that ended first where there are too many;
  /// how many those were.
  mutating func forget(at now: Int) -> Int {
    events = events.filter { !$0.value.isCancelled || $0.value.end + keep >= now }
    let surplus = max(0, events.count - limit)
    if surplus > 0 {
      for event in events.values.sorted(by: { ($0.end, $0.uid) < ($1.end, $1.uid) }).prefix(surplus) {
        events[event.uid] = nil
      }
    }
    return surplus
  }

  /// The whole file.
  var bytes: [UInt8] {
    var lines = ["BEGIN:VCALENDAR", "VERSION:2.0", Self.product, "CALSCALE:GREGORIAN"]
    lines.append("X-WR-CALNAME:" + CalendarText.escaped(name))
    if !through.isEmpty { lines.append(Self.throughName + CalendarText.escaped(through)) }
    for event in events.values.sorted(by: { ($0.start, $0.uid) < ($1.start, $1.uid) }) { lines += event.text }
    lines.append("END:VCALENDAR")
    return lines.flatMap(CalendarText.folded)
  }
}

extension CalendarEvent {
  /// Properties that an event of ours has, but for those that say which version it is.
  private static let names: Set = [
    "DTSTART", "DTEND", "SUMMARY", "DESCRIPTION", "LOCATION", "URL", "GEO", "STATUS",
  ]

  /// From the lines of a file, others' left out.
  fileprivate init?(read lines: [String]) {
    var own: [String] = []
    var version: [String: String] = [:]
    var alarm: [String]?
    for line in lines {
      if line == "BEGIN:VALARM" {
        alarm = [line]
      } else if alarm != nil {
        alarm?.append(line)
        if line == "END:VALARM" {
          own += alarm ?? []
          alarm = nil
        }
      } else {
        // By scalars, since what follows the colon may join it.
        let scalars = line.unicodeScalars
        let name = String(scalars.prefix { $0 != ":" && $0 != ";" })
        if Self.names.contains(name) {
          own.append(line)
        } else {
          version[name] = String(scalars.drop { $0 != ":" }.dropFirst())
        }
      }
    }
    guard let uid = version["UID"] else { return nil }
    self.init(
      uid: CalendarText.unescaped(uid), lines: own, sequence: version["SEQUENCE"].flatMap { Int($0) } ?? 0,
      stamp: (version["LAST-MODIFIED"] ?? version["DTSTAMP"]).flatMap(CalendarText.seconds) ?? 0)
  }
}
