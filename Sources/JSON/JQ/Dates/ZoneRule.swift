/// The rule at the end of a zoneinfo file, which goes on for ever: `CET-1CEST,M3.5.0,M10.5.0/3`.
struct ZoneRule: Sendable {
  let standard: TimeZone.Offset
  let daylight: TimeZone.Offset?
  private var start = Day.month(3, 2, 0, 7200)
  private var end = Day.month(11, 1, 0, 7200)

  private enum Day: Sendable {
    /// Month, week (5 is the last), weekday, seconds after midnight.
    case month(Int, Int, Int, Int)
    /// Day of the year from 1, the 29th of February never counted.
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
    let year = civil(from: floorDivide(time + standard.seconds, 86400)).year
    let begins = seconds(of: start, in: year) - standard.seconds
    let ends = seconds(of: end, in: year) - daylight.seconds
    let isDaylight = begins < ends ? time >= begins && time < ends : time >= begins || time < ends
    return isDaylight ? daylight : standard
  }

  /// Local seconds since 1970 at which a change happens in a year.
  private func seconds(of day: Day, in year: Int) -> Int {
    switch day {
    case .month(let month, let week, let weekday, let clock):
      let first = days(toYear: year, month: month, day: 1)
      let shift = (weekday - (first + 4) % 7 + 14) % 7
      var date = first + shift + (week - 1) * 7
      let next =
        month == 12 ? days(toYear: year + 1, month: 1, day: 1) : days(toYear: year, month: month + 1, day: 1)
      while date >= next { date -= 7 }
      return date * 86400 + clock
    case .julian(let number, let clock):
      let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
      let date = days(toYear: year, month: 1, day: 1) + number - 1 + (isLeap && number >= 60 ? 1 : 0)
      return date * 86400 + clock
    case .day(let number, let clock):
      return (days(toYear: year, month: 1, day: 1) + number) * 86400 + clock
    }
  }
}

// MARK: - The calendar

func floorDivide(_ a: Int, _ b: Int) -> Int { a >= 0 ? a / b : -((b - 1 - a) / b) }

/// Days from 1970-01-01 to a date of the Gregorian calendar.
func days(toYear year: Int, month: Int, day: Int) -> Int {
  let shifted = month <= 2 ? year - 1 : year
  let era = floorDivide(shifted, 400)
  let yearOfEra = shifted - era * 400
  let dayOfYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
  return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
}

/// The date of a number of days since 1970-01-01.
func civil(from days: Int) -> (year: Int, month: Int, day: Int) {
  let shifted = days + 719_468
  let era = floorDivide(shifted, 146_097)
  let dayOfEra = shifted - era * 146_097
  let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
  let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
  let shiftedMonth = (5 * dayOfYear + 2) / 153
  let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
  return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
}
