/// A POSIX time zone rule such as `CET-1CEST,M3.5.0,M10.5.0/3`, which holds after the last entry of a zoneinfo file.
struct ZoneRule: Sendable {
  let standard: TimeZone.Offset
  let daylight: TimeZone.Offset?
  private var start = Day.month(3, 2, 0, 7200)
  private var end = Day.month(11, 1, 0, 7200)

  private enum Day: Sendable {
    /// Month, week (5 is the last), weekday, seconds after midnight.
    case month(Int, Int, Int, Int)
    /// Day of the year from 1, without the 29th of February.
    case julian(Int, Int)
    /// Day of the year from 0.
    case day(Int, Int)
  }

  init?(_ text: [UInt8]) {
    var at = 0
    func byte() -> UInt8 { at < text.count ? text[at] : 0 }

    func name() -> String? {
      let begin = at
      if byte() == UInt8(ascii: "<") {
        while at < text.count, text[at] != UInt8(ascii: ">") { at += 1 }
        guard at < text.count else { return nil }
        at += 1
        return String(decoding: text[(begin + 1)..<(at - 1)], as: UTF8.self)
      }
      while (byte() | 0x20) &- 0x61 < 26 { at += 1 }
      return at - begin >= 3 ? String(decoding: text[begin..<at], as: UTF8.self) : nil
    }

    func number() -> Int? {
      let begin = at
      var value = 0
      while byte() &- 0x30 < 10, at - begin < 6 {
        value = value * 10 + Int(byte() &- 0x30)
        at += 1
      }
      return at > begin ? value : nil
    }

    func time() -> Int? {
      var sign = 1
      if byte() == UInt8(ascii: "-") || byte() == UInt8(ascii: "+") {
        sign = byte() == UInt8(ascii: "-") ? -1 : 1
        at += 1
      }
      guard let hours = number() else { return nil }
      var seconds = hours * 3600
      for unit in [60, 1] where byte() == UInt8(ascii: ":") {
        at += 1
        guard let part = number() else { return nil }
        seconds += part * unit
      }
      return sign * seconds
    }

    func day() -> Day? {
      guard byte() == UInt8(ascii: ",") else { return nil }
      at += 1
      var parts: [Int] = []
      let kind = byte()
      if kind == UInt8(ascii: "M") || kind == UInt8(ascii: "J") { at += 1 }
      repeat {
        if !parts.isEmpty { at += 1 }
        guard let part = number() else { return nil }
        parts.append(part)
      } while byte() == UInt8(ascii: ".")
      var clock = 7200
      if byte() == UInt8(ascii: "/") {
        at += 1
        guard let given = time() else { return nil }
        clock = given
      }
      if kind == UInt8(ascii: "M") {
        guard parts.count == 3, (1...12).contains(parts[0]), (1...5).contains(parts[1]), parts[2] < 7 else {
          return nil
        }
        return .month(parts[0], parts[1], parts[2], clock)
      }
      return kind == UInt8(ascii: "J") ? .julian(parts[0], clock) : .day(parts[0], clock)
    }

    guard let standardName = name(), let west = time() else { return nil }
    standard = TimeZone.Offset(seconds: -west, isDaylight: false, name: standardName)
    guard at < text.count else {
      daylight = nil
      return
    }
    guard let daylightName = name() else { return nil }
    var east = 3600 - west
    if at < text.count, byte() != UInt8(ascii: ",") {
      guard let given = time() else { return nil }
      east = -given
    }
    daylight = TimeZone.Offset(seconds: east, isDaylight: true, name: daylightName)
    if at < text.count {
      guard let first = day(), let second = day(), at == text.count else { return nil }
      (start, end) = (first, second)
    }
  }

  func offset(at time: Int) -> TimeZone.Offset {
    guard let daylight else { return standard }
    let year = CivilCalendar.year(atSecond: time + standard.seconds)
    let begins = seconds(of: start, in: year) - standard.seconds
    let ends = seconds(of: end, in: year) - daylight.seconds
    let isDaylight = begins < ends ? time >= begins && time < ends : time >= begins || time < ends
    return isDaylight ? daylight : standard
  }

  /// The local time of a change in a year, in seconds since 1970.
  private func seconds(of day: Day, in year: Int) -> Int {
    switch day {
    case .month(let month, let week, let weekday, let clock):
      let first = CivilCalendar.day(year, month, 1)
      let shift = (weekday - CivilCalendar.weekday(ofDay: first) + 7) % 7
      var date = first + shift + (week - 1) * 7
      let next = month == 12 ? CivilCalendar.day(year + 1, 1, 1) : CivilCalendar.day(year, month + 1, 1)
      while date >= next { date -= 7 }
      return date * CivilCalendar.secondsPerDay + clock
    case .julian(let number, let clock):
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let date = CivilCalendar.day(year, 1, 1) + number - 1 + (isLeap && number >= 60 ? 1 : 0)
      return date * CivilCalendar.secondsPerDay + clock
    case .day(let number, let clock):
      return (CivilCalendar.day(year, 1, 1) + number) * CivilCalendar.secondsPerDay + clock
    }
  }
}
