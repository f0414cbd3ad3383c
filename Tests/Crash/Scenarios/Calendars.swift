import Foundation

/// Polls → `dedupe` → `ics`, each event of the calendar told over and over: it says what was told last, each news raises
/// its sequence by one, and half a file is never visible.
final class Calendars: Scenario {
  let place: Place
  let logs: [String] = []
  private(set) var last: Int?
  private var halves = 0
  private var size = -1

  init(_ place: Place) throws {
    self.place = place
    try place.write(
      "p.yaml",
      """
      name: calendar
      vars: { last: 1000000000 }
      sources:
        made:
          generate: '([$meta.poll, $vars.last] | min) as $p | range(3) | {n: ($p + .)}'
          every: 10ms
      steps:
        - dedupe: .n
      sinks:
        tell:
          ics: { path: cal.ics, key: .n % 20, start: 1800000000 + .n * 60, summary: 'number \\(.n)' }

      """)
  }

  func tend(_ life: Life?) {
    let bytes = place.bytes("cal.ics")
    if bytes.count != size, place.has("cal.ics") {
      let text = String(decoding: bytes, as: UTF8.self)
      if !text.hasPrefix("BEGIN:VCALENDAR\r\n") || !text.hasSuffix("END:VCALENDAR\r\n") { halves += 1 }
    }
    size = bytes.count
  }

  /// The events, as `SUMMARY SEQUENCE`.
  private var events: [String] {
    String(decoding: place.bytes("cal.ics"), as: UTF8.self).components(separatedBy: "BEGIN:VEVENT")
      .dropFirst()
      .map { event in
        ["SUMMARY:", "SEQUENCE:"].map { name in
          event.components(separatedBy: "\r\n").first { $0.hasPrefix(name) }?.dropFirst(name.count)
            ?? "nothing"
        }.joined(separator: " ")
      }
  }

  func prepareEnd() {
    let numbers = events.compactMap { $0.split(separator: " ").dropFirst().first.flatMap { Int($0) } }
    last = (numbers.max() ?? 0) + 60
  }

  var isSettled: Bool { events.contains { $0.hasPrefix("number \((last ?? 0) + 2) ") } }

  func verdict() -> Verdict {
    let count = (last ?? 0) + 2
    let truth = (max(1, count - 19)...count).map { number in
      "number \(number) \((1...number).count { $0 % 20 == number % 20 } - 1)"
    }
    var verdict = Verdict.comparing(events.sorted(), with: truth.sorted(), in: "cal.ics")
    verdict.count = count
    verdict.torn += halves
    if halves > 0 { verdict.findings.append("cal.ics was seen \(halves) times with half of what it says") }
    return verdict
  }
}
