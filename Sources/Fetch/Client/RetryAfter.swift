/// How long a server asks to be left alone: from its `Retry-After`, in seconds or as a date, or from words such as
/// Launch Library's “Expected available in 1716 seconds.”; nil where it asks for nothing.
///
/// At most a week, and nothing for a date that has passed.
func requestedWait(_ headers: Headers, complaint: String?, now: Double) -> Duration? {
  let seconds = headers["retry-after"].flatMap { after(header: $0, now: now) } ?? complaint.flatMap(after)
  return seconds.map { Duration(clamping: min($0, 7 * 86400)) }
}

private func after(header: String, now: Double) -> Double? {
  let text = header.split(separator: " ").joined(separator: " ")
  if let seconds = Double(text), seconds.isFinite, seconds >= 0 { return seconds }
  return parseHTTPDate(text).map { max(0, $0 - now) }
}

private func after(complaint: String) -> Double? {
  let words = complaint.lowercased().split(separator: " ")
  for (place, word) in words.enumerated() where word.hasPrefix("second") && place >= 2 {
    if words[place - 2] == "in", let seconds = Double(words[place - 1]), seconds.isFinite, seconds >= 0 {
      return seconds
    }
  }
  return nil
}
