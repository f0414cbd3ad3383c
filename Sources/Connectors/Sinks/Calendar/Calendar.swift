import Engine
import JSON
import Language

/// The events of a calendar file, and how news change them.
struct Calendar {
  static let product = "PRODID:-//flow//ics//EN"
  private static let throughName = "X-FLOW-THROUGH:"
  private static let oldText = "May be out of date: the last polls of its source have failed"

  var name: String
  /// How often programs should read the file again.
  var refresh = Duration.seconds(3600)
  /// Whether its source has had no good poll for so long that readers are told.
  var isOld = false
  /// The most events, and how long cancelled ones stay after their end, in seconds.
  var limit = 10_000
  var keep = 30 * 86400
  private(set) var events: [String: CalendarEvent] = [:]
  /// The SEQUENCE that each event had, -1 without one, when the file was last up to date; only of those touched since.
  private var before: [String: Int] = [:]
  /// The id of the last news that the file contains, so that none are taken twice.
  var through = ""
  /// The UIDs of news that the file does not have yet: what it has not shown may be counted again.
  private var unpublished: Set<String> = []
  /// The SEQUENCE of each UID, also of events that have left the file: it never decreases.
  private var sequences: NodeState<JSON.Value>

  init(name: String, sequences: NodeState<JSON.Value> = NodeState()) {
    self.name = name
    self.sequences = sequences
  }

  /// Takes over the events of a file that a calendar of this kind has written; false for the file of another program.
  ///
  /// Anything else in it is skipped.
  mutating func read(_ bytes: [UInt8]) -> Bool {
    let lines = CalendarText.unfolded(bytes)
    if lines.isEmpty { return true }
    guard lines.first == "BEGIN:VCALENDAR", lines.contains(Self.product) else { return false }
    var event: [String]?
    for line in lines {
      if line == "BEGIN:VEVENT" {
        event = []
      } else if line == "END:VEVENT" {
        if let found = event.flatMap(CalendarEvent.init(read:)) {
          events[found.uid] = found
          note(found.sequence, of: found.uid)
        }
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
    // There is nothing to cancel of an event that is unknown or cancelled.
    guard let lines = news.lines ?? (old?.isCancelled == false ? old?.cancelledLines : nil),
      lines != old?.lines
    else { return }
    let known = Int(member: sequences.value(for: .string(news.uid)))
    let last = max(known ?? -1, old?.sequence ?? -1)
    let event = CalendarEvent(
      uid: news.uid, lines: lines, sequence: last + 1, stamp: max(news.stamp, old?.stamp ?? news.stamp))
    set(event, news.uid)
    unpublished.insert(news.uid)
  }

  /// Remembers the SEQUENCE of each event that the file has got since the last write.
  mutating func notePublished() {
    for uid in unpublished.sorted() {
      if let event = events[uid] { note(event.sequence, of: uid) }
    }
    unpublished = []
  }

  /// Whether the events have changed since this was last asked.
  mutating func takeChanges() -> Bool {
    defer { before = [:] }
    return before.contains { uid, sequence in sequence != events[uid]?.sequence ?? -1 }
  }

  private mutating func set(_ event: CalendarEvent?, _ uid: String) {
    let old = events.removeValue(forKey: uid)
    if before[uid] == nil { before[uid] = old?.sequence ?? -1 }
    events[uid] = event
  }

  private mutating func note(_ sequence: Int, of uid: String) {
    let key = JSON.Value.string(uid)
    if let known = sequences.value(for: key)?.double, known >= Double(sequence) { return }
    sequences.set(.number(sequence), for: key)
    // Those that have left the file go first.
    var looks = sequences.count
    while sequences.count > 2 * limit, looks > 0, let oldest = sequences.oldest {
      looks -= 1
      sequences.remove(oldest.key)
      if let uid = oldest.key.string, events[uid] != nil { sequences.set(oldest.value, for: oldest.key) }
    }
  }

  /// Drops cancelled events that ended long before a time, and where there are too many, those that ended first;
  /// returns the number of the latter.
  mutating func forget(at now: Int) -> Int {
    for event in events.values where event.isCancelled && event.end + keep < now {
      set(nil, event.uid)
    }
    let excess = max(0, events.count - limit)
    if excess > 0 {
      for event in events.values.sorted(by: { ($0.end, $0.uid) < ($1.end, $1.uid) }).prefix(excess) {
        set(nil, event.uid)
      }
    }
    return excess
  }

  /// The whole file.
  var bytes: [UInt8] {
    let interval = CalendarText.duration(refresh)
    var lines = ["BEGIN:VCALENDAR", "VERSION:2.0", Self.product, "CALSCALE:GREGORIAN"]
    lines.append("X-WR-CALNAME:" + CalendarText.escaped(name))
    lines += ["REFRESH-INTERVAL;VALUE=DURATION:" + interval, "X-PUBLISHED-TTL:" + interval]
    if isOld { lines.append("X-WR-CALDESC:\(Self.oldText)") }
    if !through.isEmpty { lines.append(Self.throughName + CalendarText.escaped(through)) }
    var bytes = lines.flatMap(CalendarText.folded)
    for event in events.values.sorted(by: { ($0.start, $0.uid) < ($1.start, $1.uid) }) {
      bytes += event.bytes
    }
    return bytes + CalendarText.folded("END:VCALENDAR")
  }
}

extension CalendarEvent {
  /// Properties that an event of ours has, but for those of its version.
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
