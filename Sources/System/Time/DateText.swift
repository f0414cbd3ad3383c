/// Parses a date in a header, in any of HTTP's three forms, to seconds since 1970; nil for anything else.
///
///     parseHTTPDate("Sun, 06 Nov 1994 08:49:37 GMT")   // 784111777
///     parseHTTPDate("Sunday, 06-Nov-94 08:49:37 GMT")
///     parseHTTPDate("Sun Nov  6 08:49:37 1994")
public func parseHTTPDate(_ text: String) -> Double? {
  // Unlike in a mail, the seconds are part of it, and there is one zone.
  guard text.utf8.count(where: { $0 == 0x3a }) == 2, text.hasSuffix(" GMT") || text.last?.isNumber == true
  else { return nil }
  return DateText.mail(text).map { Double($0) }
}

/// Formats seconds since 1970 as a date in a header: `Sun, 06 Nov 1994 08:49:37 GMT`.
public func httpDate(_ seconds: Int) -> String {
  let time = CivilTime(seconds: seconds)
  let text = time.description
  let day =
    "\(DateText.weekdays[time.weekday]), \(text.suffix(11).prefix(2)) \(DateText.months[time.month - 1])"
  return "\(day) \(text.dropLast(15)) \(text.suffix(8)) GMT"
}

/// The dates of feeds, in whatever form they have, as one: `2026-01-01T02:00:00Z`.
public enum DateText {
  /// Nil for a text that is no date.
  public static func normalized(_ text: String) -> String? {
    let text = text.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    guard let seconds = iso(text) ?? mail(text) else { return nil }
    let time = CivilTime(seconds: seconds)
    return time.isDate ? "\(time)Z".replacing(" ", by: "T") : nil
  }

  /// ISO 8601, RFC 3339 and the W3C's note: from `2026` to `2026-01-01T02:00:00.5+02:00`.
  private static func iso(_ text: String) -> Int? {
    var rest = Substring(text)
    guard let year = number(&rest, 4) else { return nil }
    var parts = [year, 1, 1]
    var isBasic = false
    if !rest.isEmpty, rest.first != "T", rest.first != " " {
      isBasic = rest.first != "-"
      for place in 1...2 {
        if rest.isEmpty || rest.first == "T" { break }
        if !isBasic, !take(&rest, "-") { return nil }
        guard let part = number(&rest, 2) else { return nil }
        parts[place] = part
      }
    }
    let date = CivilTime(parts[0], parts[1], parts[2])
    guard date.isDate else { return nil }
    guard take(&rest, "T") || take(&rest, "t") || take(&rest, " ") else {
      return rest.isEmpty ? date.seconds : nil
    }
    var clock = [0, 0, 0]
    guard let hour = number(&rest, 2) else { return nil }
    clock[0] = hour
    for place in 1...2 {
      let hasColon = take(&rest, ":")
      guard hasColon || rest.first?.isNumber == true, let part = number(&rest, 2) else { break }
      clock[place] = part
    }
    if take(&rest, ".") || take(&rest, ",") { rest = rest.drop { $0.isNumber } }
    guard let zone = zone(rest) else { return nil }
    return seconds(date, clock, zone)
  }

  /// RFC 822 and its relatives: `Thu, 01 Jan 2026 02:00:00 +0200`, with or without the day of the week and seconds.
  fileprivate static func mail(_ text: String) -> Int? {
    var words = text.split { $0.isWhitespace || $0 == "," }.map(String.init)
    if let first = words.first, place(of: first, in: weekdays) != nil { words.removeFirst() }
    // `1-Jan-2026` and `Jan 1 2026 …` too.
    if let first = words.first, first.contains("-") {
      words.replaceSubrange(0..<1, with: first.split(separator: "-").map(String.init))
    }
    guard words.count >= 3 else { return nil }
    if Int(words[0]) == nil { words.swapAt(0, 1) }
    // `Thu Jan 1 02:00:00 2026`, as asctime writes it.
    if words.count > 3, words[2].contains(":"), words[3].count == 4 { words.swapAt(2, 3) }
    guard let day = Int(words[0]), let month = place(of: words[1], in: months), var year = Int(words[2])
    else {
      return nil
    }
    if words[2].count <= 2 { year += year < 70 ? 2000 : 1900 }
    let date = CivilTime(year, month + 1, day)
    let clock = words.count > 3 ? words[3].split(separator: ":").map { Int($0) ?? -1 } : [0, 0]
    guard date.isDate, (1...3).contains(clock.count), let zone = zone(Substring(words.dropFirst(4).joined()))
    else { return nil }
    return seconds(date, clock + [Int](repeating: 0, count: 3 - clock.count), zone)
  }

  private static func place(of word: String, in names: [String]) -> Int? {
    names.firstIndex { word.lowercased().hasPrefix($0.lowercased()) }
  }

  private static func seconds(_ date: CivilTime, _ clock: [Int], _ zone: Int) -> Int? {
    guard (0...24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2]) else {
      return nil
    }
    return date.seconds + clock[0] * 3600 + clock[1] * 60 + clock[2] - zone
  }

  /// The seconds east of UTC of `Z`, `+02:00`, `-0500`, `EST`; UTC for none.
  private static func zone(_ text: Substring) -> Int? {
    let text = text.filter { !$0.isWhitespace }.uppercased()
    if text.isEmpty || text == "Z" { return 0 }
    if let hours = zones[text] { return hours * 3600 }
    // `GMT+0100` as well.
    let rest = text.hasPrefix("GMT") || text.hasPrefix("UTC") ? text.dropFirst(3) : text[...]
    guard let sign = rest.first, sign == "+" || sign == "-" else { return nil }
    let digits = rest.dropFirst().filter { $0 != ":" }
    guard digits.count <= 4, let number = Int(digits) else { return nil }
    let (hours, minutes) = digits.count <= 2 ? (number, 0) : (number / 100, number % 100)
    guard number >= 0, hours < 24, minutes < 60 else { return nil }
    return (hours * 3600 + minutes * 60) * (sign == "-" ? -1 : 1)
  }

  private static func take(_ rest: inout Substring, _ character: Character) -> Bool {
    guard rest.first == character else { return false }
    rest.removeFirst()
    return true
  }

  private static func number(_ rest: inout Substring, _ count: Int) -> Int? {
    let digits = rest.prefix(count)
    guard digits.count == count, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    rest = rest.dropFirst(count)
    return Int(digits)
  }

  fileprivate static let weekdays = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]
  fileprivate static let months = [
    "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
  ]
  private static let zones = [
    "UT": 0, "UTC": 0, "GMT": 0, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7,
    "MDT": -6, "PST": -8, "PDT": -7, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "BST": 1, "WET": 0,
    "WEST": 1, "A": -1, "N": 1, "M": -12, "Y": 12,
  ]
}
