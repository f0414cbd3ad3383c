import Glibc

extension SkyTime {
  /// Seconds since 1970, a fraction left off.
  var wholeSeconds: Int { Int((Double(milliseconds) / 1000).rounded(.down)) }

  /// A date, or a date and a time with or without seconds, a fraction and an offset; UTC where it has none.
  init?(iso text: String) {
    var digits = text.utf8[...]
    func number(_ width: Int) -> Int? {
      guard digits.count >= width, digits.prefix(width).allSatisfy({ (0x30...0x39).contains($0) }) else {
        return nil
      }
      let number = digits.prefix(width).reduce(0) { $0 * 10 + Int($1) - 0x30 }
      digits = digits.dropFirst(width)
      return number
    }
    func take(_ characters: StaticString) -> Bool {
      guard let first = digits.first, characters.description.utf8.contains(first) else { return false }
      digits = digits.dropFirst()
      return true
    }
    guard let year = number(4), take("-"), let month = number(2), take("-"), let day = number(2),
      (1...12).contains(month), (1...31).contains(day)
    else { return nil }
    var seconds = UTC.seconds(year: year, month: month, day: day)
    var fraction = 0
    if take("Tt ") {
      guard let hour = number(2), take(":"), let minute = number(2), hour < 24, minute < 60 else {
        return nil
      }
      seconds += hour * 3600 + minute * 60
      if take(":") {
        guard let second = number(2), second <= 60 else { return nil }
        seconds += second
        if take(".") {
          let part = digits.prefix { (0x30...0x39).contains($0) }
          guard !part.isEmpty else { return nil }
          digits = digits.dropFirst(part.count)
          fraction =
            Int((String(part.prefix(3)) ?? "") + String(repeating: "0", count: max(0, 3 - part.count))) ?? 0
        }
      }
      let isWest = digits.first == UInt8(ascii: "-")
      if !take("Zz"), take("+- ") {
        guard let hours = number(2) else { return nil }
        _ = take(":")
        let offset = hours * 3600 + (number(2) ?? 0) * 60
        seconds += isWest ? offset : -offset
      }
    }
    guard digits.isEmpty else { return nil }
    self.init(milliseconds: Int64(seconds) * 1000 + Int64(fraction))
  }
}

/// The calendar of the launches: seconds since 1970, and the ends of days, months and longer.
enum UTC {
  static let day = 86400

  /// `2026-01-01T00:00:00Z`, as the service writes times.
  static func text(_ seconds: Int) -> String {
    let time = parts(seconds)
    return
      "\(padded(Int(time.tm_year) + 1900, 4))-\(padded(Int(time.tm_mon) + 1))-\(padded(Int(time.tm_mday)))"
      + "T\(padded(Int(time.tm_hour))):\(padded(Int(time.tm_min))):\(padded(Int(time.tm_sec)))Z"
  }

  static func year(_ seconds: Int) -> Int { Int(parts(seconds).tm_year) + 1900 }
  /// From 1.
  static func month(_ seconds: Int) -> Int { Int(parts(seconds).tm_mon) + 1 }
  /// From 1.
  static func dayOfMonth(_ seconds: Int) -> Int { Int(parts(seconds).tm_mday) }
  /// From 0.
  static func dayOfYear(_ seconds: Int) -> Int { Int(parts(seconds).tm_yday) }

  /// The beginning of the last day of a month; months beyond December are of the years after.
  static func lastDay(year: Int, month: Int) -> Int { seconds(year: year, month: month + 1, day: 1) - day }

  static func seconds(year: Int, month: Int, day: Int) -> Int {
    var time = tm()
    time.tm_year = Int32(year - 1900)
    time.tm_mon = Int32(month - 1)
    time.tm_mday = Int32(day)
    return timegm(&time)
  }

  private static func parts(_ seconds: Int) -> tm {
    var moment = time_t(seconds)
    var time = tm()
    gmtime_r(&moment, &time)
    return time
  }

  private static func padded(_ number: Int, _ width: Int = 2) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
  }
}
