import JSON
import System

/// The dates of feeds, in whatever form they have, as one: `2026-01-01T02:00:00Z`.
enum FeedDate {
  /// Nil for a text that is no date.
  static func normalized(_ text: String) -> String? {
    let text = trimmed(text)
    guard let seconds = iso(text) ?? mail(text) else { return nil }
    let time = CivilTime(seconds: seconds)
    guard (0...9999).contains(time.year) else { return nil }
    func digits(_ number: Int, _ width: Int = 2) -> String {
      let text = String(number)
      return String(repeating: "0", count: max(0, width - text.count)) + text
    }
    return "\(digits(time.year, 4))-\(digits(time.month))-\(digits(time.day))T"
      + "\(digits(time.hour)):\(digits(time.minute)):\(digits(time.second))Z"
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
    guard isDate(parts[0], parts[1], parts[2]) else { return nil }
    guard take(&rest, "T") || take(&rest, "t") || take(&rest, " ") else {
      return rest.isEmpty ? CivilTime(parts[0], parts[1], parts[2]).seconds : nil
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
    return seconds(parts, clock, zone)
  }

  /// RFC 822 and its relatives: `Thu, 01 Jan 2026 02:00:00 +0200`, with or without the day of the week and seconds.
  private static func mail(_ text: String) -> Int? {
    var words = text.split { $0.isWhitespace || $0 == "," }.map(String.init)
    // The zone of a date without a zone.
    if let first = words.first, weekdays.contains(String(first.prefix(3).lowercased())) {
      words.removeFirst()
    }
    // `1-Jan-2026` and `Jan 1 2026 …` too.
    if let first = words.first, first.contains("-") {
      words.replaceSubrange(0..<1, with: first.split(separator: "-").map(String.init))
    }
    guard words.count >= 3 else { return nil }
    func month(_ word: String) -> Int? {
      months.firstIndex(of: String(word.prefix(3).lowercased())).map { $0 + 1 }
    }
    var day = Int(words[0])
    var monthOfYear = month(words[1])
    if day == nil, monthOfYear == nil {
      (day, monthOfYear) = (Int(words[1]), month(words[0]))
    }
    // `Thu Jan 1 02:00:00 2026`, as asctime writes it.
    if words.count > 3, words[2].contains(":"), words[3].count == 4 { words.swapAt(2, 3) }
    guard let day, let monthOfYear, var year = Int(words[2]) else { return nil }
    if words[2].count <= 2 { year += year < 70 ? 2000 : 1900 }
    guard isDate(year, monthOfYear, day) else { return nil }
    let clock = words.count > 3 ? words[3].split(separator: ":").map { Int($0) ?? -1 } : [0, 0]
    guard (1...3).contains(clock.count), let zone = zone(Substring(words.dropFirst(4).joined())) else {
      return nil
    }
    return seconds([year, monthOfYear, day], clock + [Int](repeating: 0, count: 3 - clock.count), zone)
  }

  private static func seconds(_ date: [Int], _ clock: [Int], _ zone: Int) -> Int? {
    guard (0...24).contains(clock[0]), (0..<60).contains(clock[1]), (0...60).contains(clock[2]) else {
      return nil
    }
    return CivilTime(date[0], date[1], date[2], clock[0], clock[1], clock[2]).seconds - zone
  }

  private static func isDate(_ year: Int, _ month: Int, _ day: Int) -> Bool {
    (1...12).contains(month) && (1...31).contains(day)
      && CivilTime(seconds: CivilTime(year, month, day).seconds).day == day
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
    guard hours < 24, minutes < 60 else { return nil }
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

  private static let weekdays: Set<String> = ["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
  private static let months = [
    "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
  ]
  private static let zones = [
    "UT": 0, "UTC": 0, "GMT": 0, "AST": -4, "ADT": -3, "EST": -5, "EDT": -4, "CST": -6, "CDT": -5, "MST": -7,
    "MDT": -6, "PST": -8, "PDT": -7, "CET": 1, "CEST": 2, "EET": 2, "EEST": 3, "MSK": 3, "BST": 1, "WET": 0,
    "WEST": 1, "A": -1, "N": 1, "M": -12, "Y": 12,
  ]
}
