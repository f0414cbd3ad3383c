import System
import Engine
import Language

/// How iCalendar (RFC 5545) writes texts, times and lines.
enum CalendarText {
  /// A value of the type TEXT.
  static func escaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isAfterReturn = false
    for scalar in text.unicodeScalars {
      defer { isAfterReturn = scalar == "\r" }
      switch scalar {
      case "\n" where isAfterReturn: continue
      case "\n", "\r": result.append(contentsOf: "\\n".unicodeScalars)
      case "\\", ";", ",": result.append(contentsOf: "\\\(scalar)".unicodeScalars)
      case "\t": result.append(scalar)
      case _ where scalar.value < 0x20 || scalar.value == 0x7f: continue
      default: result.append(scalar)
      }
    }
    return String(result)
  }

  /// The text that was escaped.
  static func unescaped(_ text: String) -> String {
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text.unicodeScalars {
      if isEscaped {
        result.append(scalar == "n" || scalar == "N" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  /// A value of the type URI: what cannot be in one is percent-encoded.
  static func uri(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var bytes: [UInt8] = []
    for byte in text.utf8 {
      if byte > 0x20, byte < 0x7f, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
        bytes.append(byte)
      } else {
        bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// A moment in seconds since 1970, in UTC: `20260101T120000Z`; parts of seconds are left out.
  static func time(_ seconds: Int) -> String {
    let time = CivilTime(seconds: seconds)
    let clock = [time.hour, time.minute, time.second].map { digits($0, 2) }.joined()
    return date(seconds) + "T\(clock)Z"
  }

  /// The day of a moment, in UTC: `20260101`.
  static func date(_ seconds: Int) -> String {
    let time = CivilTime(seconds: seconds)
    return digits(time.year, 4) + digits(time.month, 2) + digits(time.day, 2)
  }

  /// The seconds of a text that `time` or `date` has written.
  static func seconds(_ text: String) -> Int? {
    let digits = text.filter { $0.isASCII && $0.isNumber }.compactMap(\.wholeNumberValue)
    func number(_ range: Range<Int>) -> Int { digits[range].reduce(0) { $0 * 10 + $1 } }
    switch (text.utf8.count, digits.count) {
    case (8, 8): return CivilTime(number(0..<4), number(4..<6), number(6..<8)).seconds
    case (16, 14) where text.hasSuffix("Z"):
      return CivilTime(
        number(0..<4), number(4..<6), number(6..<8), number(8..<10), number(10..<12), number(12..<14)
      ).seconds
    default: return nil
    }
  }

  /// A length of time: `P1DT2H`.
  static func duration(_ duration: Duration) -> String {
    let all = Int(duration.components.seconds)
    let (days, hours, minutes, seconds) = (all / 86400, all / 3600 % 24, all / 60 % 60, all % 60)
    let clock = [(hours, "H"), (minutes, "M"), (seconds, "S")].filter { $0.0 > 0 }.map { "\($0.0)\($0.1)" }
    let day = days > 0 ? "\(days)D" : ""
    if clock.isEmpty { return "P" + (days > 0 ? day : "T0S") }
    return "P\(day)T\(clock.joined())"
  }

  private static func digits(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.utf8.count)) + text
  }

  /// A line as the file has it: of 75 bytes at most, cut between characters, what follows being on more lines.
  static func folded(_ line: String) -> [UInt8] {
    var bytes: [UInt8] = []
    if line.utf8.count <= 75 {
      bytes.append(contentsOf: line.utf8)
      return bytes + [0x0d, 0x0a]
    }
    var width = 0
    for scalar in line.unicodeScalars {
      let encoded = Array(UTF8.encode(scalar) ?? UTF8.EncodedScalar())
      if width + encoded.count > 75 {
        bytes += [0x0d, 0x0a, 0x20]
        width = 1
      }
      bytes += encoded
      width += encoded.count
    }
    return bytes + [0x0d, 0x0a]
  }

  /// The lines of a file, each whole again.
  static func unfolded(_ bytes: [UInt8]) -> [String] {
    var lines: [[UInt8]] = []
    for part in bytes.split(separator: 0x0a) {
      let line = part.last == 0x0d ? part.dropLast() : part
      if let first = line.first, first == 0x20 || first == 0x09, !lines.isEmpty {
        lines[lines.count - 1] += line.dropFirst()
      } else {
        lines.append(Array(line))
      }
    }
    return lines.map { String(decoding: $0, as: UTF8.self) }
  }
}
