import System
/// A timestamp in ISO 8601, UTC, with milliseconds where it has them: `2026-01-01T00:00:00Z`.
public func timestamp(_ seconds: Double) -> String {
  guard timestampRange.contains(seconds) else { return "\(seconds)" }
  let milliseconds = Int((seconds * 1000).rounded())
  let whole = floorDivide(milliseconds, 1000)
  let rest = milliseconds - whole * 1000
  let time = CivilTime(seconds: whole)
  var text = "\(padded(time.year, 4))-\(padded(time.month, 2))-\(padded(time.day, 2))"
  text += "T\(padded(time.hour, 2)):\(padded(time.minute, 2)):\(padded(time.second, 2))"
  if rest != 0 { text += ".\(padded(rest, 3))" }
  return text + "Z"
}

/// The seconds since 1970 of times whose year has four digits.
public let timestampRange = -62_167_219_200.0..<253_402_300_800.0

private func padded(_ number: Int, _ width: Int) -> String {
  let digits = String(number)
  return String(repeating: "0", count: max(0, width - digits.utf8.count)) + digits
}

/// The seconds since 1970 of a time in ISO 8601: a date, or a date and a time, with a fraction and an offset if need
/// be; nil for anything else.
///
///     parseTimestamp("2026-01-01T02:00:00+02:00")  // 1767225600
///     parseTimestamp("2026-01-01")                 // 1767225600
public func parseTimestamp(_ text: String) -> Double? {
  var text = text
  return text.withUTF8 { parseTimestamp($0) }
}

/// The same for a text in UTF-8.
public func parseTimestamp(_ text: UnsafeBufferPointer<UInt8>) -> Double? {
  var reader = TimestampReader(rest: text[...])
  return reader.read()
}

private struct TimestampReader {
  var rest: Slice<UnsafeBufferPointer<UInt8>>

  mutating func read() -> Double? {
    guard let year = digits(4), take("-"), let month = digits(2), take("-"), let day = digits(2) else {
      return nil
    }
    var time = CivilTime(year, month, day)
    var fraction = 0.0
    var offset = 0
    if take("T") || take("t") || take(" ") {
      guard let hour = digits(2), hour <= 24, take(":"), let minute = digits(2), minute < 60 else {
        return nil
      }
      (time.hour, time.minute) = (hour, minute)
      if take(":") {
        // A leap second.
        guard let second = digits(2), second <= 60 else { return nil }
        time.second = second
        if take(".") {
          guard let read = readFraction() else { return nil }
          fraction = read
        }
      }
      while take(" ") {}
      guard let zone = readZone() else { return nil }
      offset = zone
    }
    // The end of a day is the beginning of the next.
    let isInDay = time.hour < 24 || time.minute == 0 && time.second == 0 && fraction == 0
    guard rest.isEmpty, isInDay, time.isDate else { return nil }
    return Double(time.seconds - offset) + fraction
  }

  private mutating func take(_ character: Unicode.Scalar) -> Bool {
    guard rest.first == UInt8(ascii: character) else { return false }
    rest.removeFirst()
    return true
  }

  private mutating func digits(_ count: Int) -> Int? {
    let part = rest.prefix(count)
    guard part.count == count, part.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    rest = rest.dropFirst(count)
    return part.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  private mutating func readFraction() -> Double? {
    let part = rest.prefix { (0x30...0x39).contains($0) }
    rest = rest.dropFirst(part.count)
    return part.isEmpty ? nil : Double("0." + String(decoding: part.prefix(15), as: UTF8.self))
  }

  /// Seconds east of UTC; none is UTC.
  private mutating func readZone() -> Int? {
    if take("Z") || take("z") || rest.isEmpty { return 0 }
    let isWest = rest.first == UInt8(ascii: "-")
    guard take("+") || take("-"), let hours = digits(2), hours < 24 else { return nil }
    _ = take(":")
    guard let minutes = digits(2), minutes < 60 else { return nil }
    let seconds = hours * 3600 + minutes * 60
    return isWest ? -seconds : seconds
  }
}
