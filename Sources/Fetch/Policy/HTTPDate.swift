import Glibc

/// The seconds since 1970 of a date in a header, in any of the three forms that HTTP allows; nil for anything else.
///
///     parseHTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")   // 784111777
///     parseHTTPDate("Sunday, 06-Nov-94 08:49:37 GMT")
///     parseHTTPDate("Sun Nov  6 08:49:37 1994")
func parseHTTPDate(_ text: String) -> Double? {
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
  // Of two digits the century is guessed, as the standard has it: none lies more than 50 years ahead.
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

private let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
