import Glibc

// Builtins that flow adds to jq, under names that jq does not use; README.md lists them. Time zones: see Dates.swift.

extension Builtins {
  static let extras: [String: Builtin] = [
    "ago/0": .zero { (value, frame) throws(Exception) in
      guard let now = frame.run.environment.now else {
        throw frame.run.refusal("ago", "no time was handed in")
      }
      return .string(distance(from: try moment(value), to: now))
    },
    "feet/0": .zero { (value, _) throws(Exception) in .number(try measure(value, "metres") / 0.3048) },
    "pounds/0": .zero { (value, _) throws(Exception) in
      .number(try measure(value, "kilograms") / 0.453_592_37)
    },
    "slug/0": .zero { (value, _) throws(Exception) in
      guard let text = value.string else {
        throw typeError(value, "cannot be made a slug, as it is not a string")
      }
      return .string(slug(text))
    },
    "text_diff/2": .two { (_, before, after, frame) throws(Exception) in
      let (old, new) = (try lines(before), try lines(after))
      try frame.run.reserve((old.count + new.count) * 2)
      return .string(
        old.withUnsafeBufferPointer { old in
          new.withUnsafeBufferPointer { new in LineDifference(old, new).unified }
        })
    },
  ]

  /// The text that is to be compared; a row that was added or removed has null on one side.
  private static func lines(_ value: Value) throws(Exception) -> [UInt8] {
    if value.isNull { return [] }
    guard let text = value.textBytes else {
      throw typeError(value, "cannot be compared by lines, as it is not a string")
    }
    return text
  }

  private static func measure(_ value: Value, _ unit: String) throws(Exception) -> Double {
    guard let number = value.double else { throw typeError(value, "is not a number of \(unit)") }
    return number
  }

  /// Seconds since 1970 from a number or from a date such as `2026-01-31T12:00:00Z`, with a fraction or an
  /// offset.
  static func moment(_ value: Value) throws(Exception) -> Double {
    if let number = value.double { return number }
    guard let bytes = value.textBytes, let seconds = parseTimestamp(bytes) else {
      throw typeError(
        value, "is not a time: seconds since 1970 or a date such as 2026-01-31T12:00:00Z is needed")
    }
    return seconds
  }

  private static func distance(from moment: Double, to now: Double) -> String {
    let seconds = (now - moment).magnitude
    guard seconds.isFinite else { return "never" }
    let units: [(Double, String)] = [
      (31_556_952, "year"), (2_629_746, "month"), (86_400, "day"), (3_600, "hour"), (60, "minute"),
      (1, "second"),
    ]
    guard let (length, name) = units.first(where: { seconds >= $0.0 }) else { return "just now" }
    let count = Int(min(seconds / length, 1e15))
    let text = "\(count) \(name)\(count == 1 ? "" : "s")"
    return now >= moment ? "\(text) ago" : "in \(text)"
  }

  /// Lower-case letters and digits with single hyphens between the words; accents are dropped.
  private static func slug(_ text: String) -> String {
    var out = ""
    var isAfterGap = false
    for scalar in text.unicodeScalars {
      let folded = folding[scalar] ?? String(scalar)
      for letter in folded.lowercased().unicodeScalars {
        if letter.properties.isAlphabetic || letter.properties.numericType != nil {
          if isAfterGap, !out.isEmpty { out += "-" }
          isAfterGap = false
          out.unicodeScalars.append(letter)
        } else if letter != "'", letter != "\u{2019}", !letter.properties.isDiacritic {
          isAfterGap = true
        }
      }
    }
    return out
  }

  /// Latin letters with accents, and what is left without them.
  private static let folding: [Unicode.Scalar: String] = {
    let table: [(String, String)] = [
      ("àáâãäåāăą", "a"), ("çćĉċč", "c"), ("ďđð", "d"), ("èéêëēĕėęě", "e"), ("ĝğġģ", "g"), ("ĥħ", "h"),
      ("ìíîïĩīĭįı", "i"), ("ĵ", "j"), ("ķ", "k"), ("ĺļľŀł", "l"), ("ñńņňŋ", "n"), ("òóôõöøōŏő", "o"),
      ("ŕŗř", "r"), ("śŝşš", "s"), ("ţťŧ", "t"), ("ùúûüũūŭůűų", "u"), ("ŵ", "w"), ("ýÿŷ", "y"), ("źżž", "z"),
      ("ß", "ss"), ("æ", "ae"), ("œ", "oe"), ("þ", "th"),
    ]
    var folding: [Unicode.Scalar: String] = [:]
    for (letters, plain) in table {
      for letter in letters.unicodeScalars {
        folding[letter] = plain
        for upper in String(letter).uppercased().unicodeScalars where upper.value > 127 {
          folding[upper] = plain
        }
      }
    }
    return folding
  }()
}

/// Seconds since 1970 of an RFC 3339 time; a date alone is midnight UTC.
func parseTimestamp(_ text: [UInt8]) -> Double? {
  var at = 0
  func number(_ digits: Int) -> Int? {
    guard at + digits <= text.count else { return nil }
    var value = 0
    for _ in 0..<digits {
      guard text[at] &- 0x30 < 10 else { return nil }
      value = value * 10 + Int(text[at] &- 0x30)
      at += 1
    }
    return value
  }
  func skip(_ letters: String) -> Bool {
    guard at < text.count, letters.utf8.contains(text[at]) else { return false }
    at += 1
    return true
  }
  guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2),
    (1...12).contains(month), (1...31).contains(day)
  else { return nil }
  var seconds = Double(CivilCalendar.day(year, month, day) * CivilCalendar.secondsPerDay)
  if at == text.count { return seconds }
  guard skip("Tt "), let hour = number(2), skip(":"), let minute = number(2), hour < 25, minute < 60 else {
    return nil
  }
  seconds += Double(hour * 3600 + minute * 60)
  if skip(":") {
    guard let second = number(2), second < 61 else { return nil }
    seconds += Double(second)
    if skip(".,") {
      var unit = 0.1
      while let digit = number(1) {
        seconds += Double(digit) * unit
        unit /= 10
      }
    }
  }
  if skip("Zz") { return at == text.count ? seconds : nil }
  guard at < text.count else { return nil }
  let sign: Double = text[at] == UInt8(ascii: "-") ? 1 : -1
  guard skip("+-"), let hours = number(2) else { return nil }
  _ = skip(":")
  guard let minutes = number(2), at == text.count else { return nil }
  return seconds + sign * Double(hours * 3600 + minutes * 60)
}
