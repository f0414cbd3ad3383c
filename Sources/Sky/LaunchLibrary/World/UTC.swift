import Glibc

extension SkyTime {
  /// Seconds since 1970, a fraction left off.
  var wholeSeconds: Int { Int((Double(milliseconds) / 1000).rounded(.down)) }
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
