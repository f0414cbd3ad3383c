import CGlibc
import Glibc

// Dates and times. "Broken down time" is jq's array: year, month from 0, day, hours, minutes, seconds with a fraction,
// day of the week, day of the year.

extension Builtins {
  static let dates: [String: Builtin] = [
    "now/0": .zero { (_, frame) throws(Exception) in
      guard let now = frame.run.environment.now else {
        throw frame.run.refusal("now", "no time was handed in")
      }
      return .number(now)
    },
    "mktime/0": .zero { (value, _) throws(Exception) in
      guard value.kind == .array else { throw Exception("mktime requires array inputs") }
      guard var time = brokenDown(value) else { throw Exception("mktime requires parsed datetime inputs") }
      let seconds = timegm(&time)
      if seconds == -1, time.tm_year < -1 { throw Exception("invalid gmtime representation") }
      return .number(seconds)
    },
    "gmtime/0": .zero { (value, _) throws(Exception) in
      try brokenDown(value, .utc, "gmtime() requires numeric inputs")
    },
    "localtime/0": .zero { (value, frame) throws(Exception) in
      try brokenDown(value, try localZone(frame.run), "localtime() requires numeric inputs")
    },
    "localtime_in/1": .one { (value, name, frame) throws(Exception) in
      try brokenDown(value, try zone(name, frame.run), "localtime_in() requires numeric inputs")
    },
    "strftime/1": .one { (value, format, frame) throws(Exception) in
      try formatTime(value, format, nil, "strftime/1", frame.run)
    },
    "strflocaltime/1": .one { (value, format, frame) throws(Exception) in
      try formatTime(value, format, try localZone(frame.run), "strflocaltime/1", frame.run)
    },
    "format_time/2": .two { (value, format, name, frame) throws(Exception) in
      try formatTime(value, format, try zone(name, frame.run), "format_time/2", frame.run)
    },
    "strptime/1": .one { (value, format, _) throws(Exception) in try parseTime(value, format) },
  ]

  // MARK: Zones

  private static func localZone(_ run: Run) throws(Exception) -> TimeZone {
    guard let name = run.environment.timeZone else { return .utc }
    // An unknown name means UTC, as in the C library.
    return cachedZone(name, run, allowsPaths: true) ?? .utc
  }

  private static func zone(_ name: Value, _ run: Run) throws(Exception) -> TimeZone {
    guard let text = name.string else { throw typeError(name, "is not the name of a time zone") }
    guard let zone = cachedZone(text, run, allowsPaths: false) else {
      throw typeError(name, "is not a known time zone")
    }
    return zone
  }

  private static func cachedZone(_ name: String, _ run: Run, allowsPaths: Bool) -> TimeZone? {
    if let known = run.zones[name] { return known }
    let path = allowsPaths && name.hasPrefix(":") ? String(name.dropFirst()) : name
    guard let zone = TimeZone(name: path, allowsPaths: allowsPaths, files: run.environment.files) else {
      return nil
    }
    if run.zones.count > 64 { run.zones.removeAll() }
    run.zones[name] = zone
    return zone
  }

  // MARK: Broken down time

  /// The C library's form of an array; nil where an entry is no number.
  private static func brokenDown(_ value: Value) -> tm? {
    var fields = [Int32](repeating: 0, count: 8)
    for place in 0..<min(8, value.count ?? 0) {
      guard var number = value.element(place)?.double, !number.isNaN else { return nil }
      if place == 0 { number -= 1900 }
      fields[place] = Int32(clamping: saturated(number))
    }
    var time = tm()
    (time.tm_year, time.tm_mon, time.tm_mday) = (fields[0], fields[1], fields[2])
    (time.tm_hour, time.tm_min, time.tm_sec) = (fields[3], fields[4], fields[5])
    (time.tm_wday, time.tm_yday) = (fields[6], fields[7])
    return time
  }

  private static func array(_ time: tm, _ fraction: Double) -> Value {
    .array([
      .number(Int(time.tm_year) + 1900), .number(Int(time.tm_mon)), .number(Int(time.tm_mday)),
      .number(Int(time.tm_hour)), .number(Int(time.tm_min)), .number(Double(time.tm_sec) + fraction),
      .number(Int(time.tm_wday)), .number(Int(time.tm_yday)),
    ])
  }

  private static func brokenDown(_ value: Value, _ zone: TimeZone, _ complaint: String) throws(Exception)
    -> Value
  {
    guard let seconds = value.double else { throw Exception(complaint) }
    let whole = saturated(seconds)
    guard abs(seconds) < 1e17 else {
      throw Exception("error converting number of seconds since epoch to datetime")
    }
    var moment = time_t(whole + zone.offset(at: whole).seconds)
    var time = tm()
    guard gmtime_r(&moment, &time) != nil else {
      throw Exception("error converting number of seconds since epoch to datetime")
    }
    return array(time, seconds - seconds.rounded(.down))
  }

  // MARK: Formatting and parsing

  private static func formatTime(
    _ value: Value, _ format: Value, _ zone: TimeZone?, _ name: String, _ run: Run
  ) throws(Exception) -> Value {
    var parts = value
    var moment: Int?
    if value.kind == .number {
      moment = saturated(value.double ?? 0)
      parts = try brokenDown(value, zone ?? .utc, "\(name) requires parsed datetime inputs")
    } else if value.kind != .array {
      throw Exception("\(name) requires parsed datetime inputs")
    }
    guard var pattern = format.textBytes else { throw Exception("\(name) requires a string format") }
    guard var time = brokenDown(parts) else { throw Exception("\(name) requires parsed datetime inputs") }
    let local = timegm(&time)
    var zoneName = "GMT"
    if let zone {
      let offset = zone.offset(at: moment ?? zone.moment(ofLocal: local))
      time.tm_gmtoff = offset.seconds
      time.tm_isdst = offset.isDaylight ? 1 : 0
      zoneName = offset.name
    }
    if pattern.isEmpty { return .string(pattern) }
    try run.charge(pattern.count)
    let capacity = pattern.count + 100
    pattern.append(0)
    let text = zoneName.withCString { zonePointer -> [UInt8]? in
      time.tm_zone = zonePointer
      return withUnsafeTemporaryAllocation(of: CChar.self, capacity: capacity) { buffer in
        let count = pattern.withUnsafeBufferPointer { bytes in
          bytes.withMemoryRebound(to: CChar.self) { text in
            text.baseAddress.map { strftime(buffer.baseAddress, capacity, $0, &time) } ?? 0
          }
        }
        guard count > 0, count <= capacity else { return nil }
        return buffer[..<count].map { UInt8(truncatingIfNeeded: $0) }
      }
    }
    guard let text else { throw Exception("\(name): unknown system failure") }
    return text.withUnsafeBufferPointer { .string(repairing: $0) }
  }

  private static func parseTime(_ value: Value, _ format: Value) throws(Exception) -> Value {
    guard let text = value.string, let pattern = format.string else {
      throw Exception("strptime/1 requires string inputs and arguments")
    }
    var time = tm()
    // Values that no date has: the C library leaves a field alone that the format does not mention.
    time.tm_wday = 8
    time.tm_yday = 367
    let rest = text.withCString { start -> String? in
      guard let end = pattern.withCString({ strptime(start, $0, &time) }) else { return nil }
      return String(cString: end)
    }
    guard let rest, rest.isEmpty || rest.utf8.first.map({ $0 == 0x20 || $0 &- 9 < 5 }) ?? false else {
      throw Exception("date \"\(text)\" does not match format \"\(pattern)\"")
    }
    if time.tm_mday != 0, (0...11).contains(time.tm_mon) {
      let year = Int(time.tm_year) + 1900
      let day = CivilCalendar.day(year, Int(time.tm_mon) + 1, Int(time.tm_mday))
      if time.tm_wday == 8 { time.tm_wday = Int32(CivilCalendar.weekday(ofDay: day)) }
      if time.tm_yday == 367 { time.tm_yday = Int32(day - CivilCalendar.day(year, 1, 1)) }
    }
    var result = array(time, 0)
    if !rest.isEmpty { result.append(.string(rest)) }
    return result
  }
}
