import JSON
import Engine
import Language
import System

/// The reading of a pipeline's events: makes news of a calendar of them.
final class CalendarReading {
  struct Parts {
    var key: Evaluation
    var start: Evaluation
    var end: Evaluation?
    var allDay: Evaluation?
    var removed: Evaluation?
    var status: Evaluation?
    var updated: Evaluation?
    var geo: Evaluation?
    /// By the name of the property, in the order of the lines.
    var texts: [(name: String, text: Evaluation)]
    var alarms: [Duration]
  }

  private let parts: Parts
  private let pipeline: String

  init(_ parts: Parts, pipeline: String) {
    (self.parts, self.pipeline) = (parts, pipeline)
  }

  func news(of event: Event) throws -> CalendarNews {
    let stamp = try time(parts.updated, event) ?? Int(event.poll.at.rounded(.down))
    guard let own = try parts.key.first(event), own.kind != .null else { throw Sentence("the key is null") }
    let key = event.keyed(own)
    let uid = "\(key.string ?? key.description)@\(pipeline)"
    if try parts.removed?.isTrue(event) ?? false { return CalendarNews(uid: uid, lines: nil, stamp: stamp) }
    return CalendarNews(uid: uid, lines: try lines(of: event), stamp: stamp)
  }

  private func lines(of event: Event) throws -> [String] {
    let isAllDay = try parts.allDay?.isTrue(event) ?? false
    var lines = try span(of: event, isAllDay: isAllDay)
    var texts: [String: String] = [:]
    for (name, evaluation) in parts.texts {
      let text = try event.text(evaluation)
      if text.isEmpty { continue }
      texts[name] = text
      lines.append("\(name):" + (name == "URL" ? CalendarText.uri(text) : CalendarText.escaped(text)))
    }
    if let geo = try parts.geo?.first(event), geo.kind != .null { lines.append("GEO:" + (try place(geo))) }
    let status = try parts.status?.first(event).flatMap(status)
    // An event of whole days has no time to be reminded of.
    if status != "CANCELLED", !isAllDay {
      for lead in parts.alarms {
        lines += ["BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-" + CalendarText.duration(lead)]
        lines += ["DESCRIPTION:" + CalendarText.escaped(texts["SUMMARY"] ?? "…"), "END:VALARM"]
      }
    }
    if let status { lines.append("STATUS:" + status) }
    return lines
  }

  /// The lines for when it begins and ends.
  private func span(of event: Event, isAllDay: Bool) throws -> [String] {
    guard let start = try time(parts.start, event) else { throw Sentence("there is no start") }
    let end = try time(parts.end, event) ?? start
    if end < start {
      throw Sentence("it ends (\(timestamp(Double(end)))) before it begins (\(timestamp(Double(start))))")
    }
    if isAllDay {
      let day = 86400
      let first = CalendarText.date(start)
      // The day after the last, which has something of the time before the end.
      let last = max(end - 1, start)
      let behind = CalendarText.date(last + day)
      // A day alone needs no end, and behind the last one there is none.
      if behind.utf8.count > 8 { return ["DTSTART;VALUE=DATE:" + first] }
      return ["DTSTART;VALUE=DATE:" + first, "DTEND;VALUE=DATE:" + behind]
    }
    let first = "DTSTART:" + CalendarText.time(start)
    return end == start ? [first] : [first, "DTEND:" + CalendarText.time(end)]
  }

  private func time(_ evaluation: Evaluation?, _ event: Event) throws -> Int? {
    try evaluation?.first(event)?.timeOfDay().map { Int($0.rounded(.down)) }
  }

  private func status(_ value: Value) throws -> String? {
    if value.kind == .null { return nil }
    let name = value.string?.uppercased() ?? ""
    if ["TENTATIVE", "CONFIRMED", "CANCELLED"].contains(name) { return name }
    throw Sentence(
      "the status is \(value.description.prefix(60)); it can be tentative, confirmed, cancelled or null")
  }

  /// Latitude and longitude, of `{lat, lon}` or `[lat, lon]`, each a number or the text of one.
  private func place(_ value: Value) throws -> String {
    func number(_ part: Value?) -> Double? { part.flatMap { $0.double ?? $0.string.flatMap { Double($0) } } }
    let latitude = number(value.element(0) ?? value.member("lat") ?? value.member("latitude"))
    let longitude = number(
      value.element(1) ?? value.member("lon") ?? value.member("lng") ?? value.member("longitude"))
    guard let latitude, let longitude, abs(latitude) <= 90, abs(longitude) <= 180 else {
      throw Sentence(
        "this is no place: \(value.description.prefix(60)); a place is {lat, lon} or [lat, lon]")
    }
    return "\(decimal(latitude));\(decimal(longitude))"
  }

  /// With six digits behind the point at most, never with an exponent.
  private func decimal(_ number: Double) -> String {
    let millionths = Int((abs(number) * 1e6).rounded())
    let digits = String(millionths % 1_000_000 + 1_000_000).dropFirst()
    let fraction = digits.reversed().drop { $0 == "0" }.reversed()
    let sign = number < 0 && millionths > 0 ? "-" : ""
    return "\(sign)\(millionths / 1_000_000)" + (fraction.isEmpty ? ".0" : ".\(String(fraction))")
  }
}
