/// A text from outside as one line of a message: shortened, and without control characters.
package func excerpt(_ text: String, limit: Int = 200) -> String {
  var shown = String.UnicodeScalarView()
  var isAfterSpace = true
  var count = 0
  for scalar in text.unicodeScalars {
    let isSpace = scalar.properties.isWhitespace || isControl(scalar)
    if isSpace, isAfterSpace { continue }
    if count == limit {
      shown.append("…")
      break
    }
    shown.append(isSpace ? " " : scalar)
    isAfterSpace = isSpace
    count += 1
  }
  if shown.last == " " { shown.removeLast() }
  return String(shown)
}

func quoted(_ text: String) -> String { "“\(excerpt(text, limit: 48))”" }

/// Control characters, and those that change the direction of text.
private func isControl(_ scalar: Unicode.Scalar) -> Bool {
  switch scalar.value {
  case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF: true
  default: false
  }
}

/// A duration for people: `45 s`, `23 min`, `2 h 5 min`.
public func spoken(_ duration: Duration) -> String {
  let seconds = max(0, Int(duration.inSeconds.rounded(.up)))
  if seconds < 100 { return "\(seconds) s" }
  let minutes = (seconds + 59) / 60
  if minutes < 100 { return "\(minutes) min" }
  let (hours, rest) = minutes.quotientAndRemainder(dividingBy: 60)
  if hours < 48 { return rest == 0 ? "\(hours) h" : "\(hours) h \(rest) min" }
  return "\((hours + 23) / 24) days"
}

extension Duration {
  var inSeconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) + Double(attoseconds) / 1e18
  }

  /// A duration from any number of seconds that a server may send.
  init(clamping seconds: Double) {
    self = .milliseconds(Int64(min(max(0, seconds.isNaN ? 0 : seconds), 1e12) * 1000))
  }
}
