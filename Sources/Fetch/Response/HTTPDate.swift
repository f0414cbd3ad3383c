import Glibc

/// Parses a date in a header, in any of HTTP's three forms, to seconds since 1970; nil for anything else.
///
///     parseHTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")   // 784111777
///     parseHTTPDate("Sunday, 06-Nov-94 08:49:37 GMT")
///     parseHTTPDate("Sun Nov  6 08:49:37 1994")
public func parseHTTPDate(_ text: String) -> Double? {
  let parts = text.split { " ,-".contains($0) }
  guard parts.count == 5 || parts.count == 6 && parts[5] == "GMT" else { return nil }
  let monthFirst = months.contains(String(parts[1]))
  let dayText = parts[monthFirst ? 2 : 1]
  let monthText = String(parts[monthFirst ? 1 : 2])
  let yearText = parts[monthFirst ? 4 : 3]
  let clock = parts[monthFirst ? 3 : 4].split(separator: ":").map { Int($0) }
  guard let month = months.firstIndex(of: monthText), let day = Int(dayText), var year = Int(yearText),
    clock.count == 3, let hour = clock[0], let minute = clock[1], let second = clock[2],
    (1...31).contains(day), (0..<24).contains(hour), (0..<60).contains(minute), (0...60).contains(second)
  else { return nil }
  // A year of two digits is never more than 50 years ahead, says the standard.
  if yearText.utf8.count == 2 { year += year < 70 ? 2000 : 1900 }
  guard (1900...9999).contains(year) else { return nil }
  var time = tm()
  time.tm_year = Int32(year - 1900)
  time.tm_mon = Int32(month)
  time.tm_mday = Int32(day)
  time.tm_hour = Int32(hour)
  time.tm_min = Int32(minute)
  time.tm_sec = Int32(second)
  return Double(timegm(&time))
}

/// Formats seconds since 1970 as a date in a header: `Sun, 06 Nov 1994 08:49:37 GMT`.
public func httpDate(_ seconds: Int) -> String {
  var (moment, time) = (time_t(seconds), tm())
  gmtime_r(&moment, &time)
  func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
  let clock = [time.tm_hour, time.tm_min, time.tm_sec].map(digits).joined(separator: ":")
  let day = "\(days[Int(time.tm_wday)]), \(digits(time.tm_mday)) \(months[Int(time.tm_mon)])"
  return "\(day) \(Int(time.tm_year) + 1900) \(clock) GMT"
}

private let days = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

extension Headers {
  /// The `Last-Modified` that is a validator: older than the response by a second (RFC 9110, 8.8.2.2).
  ///
  /// A resource may change again within the second of its date, and a later condition would not see it.
  public var strongLastModified: String? {
    guard let text = self["last-modified"], let modified = parseHTTPDate(text),
      let date = self["date"].flatMap(parseHTTPDate), modified + 1 <= date
    else { return nil }
    return text
  }
}
