import Language

/// Figures of a status in few characters, for a terminal and a page.
package enum StatusText {
  /// As in `0`, `2.5`, `340`, `12.3k`.
  package static func rate(_ rate: Double?) -> String {
    guard let rate else { return "" }
    if rate == 0 { return "0" }
    if rate < 9.95 { return tenths(max(rate, 0.1)) }
    if rate < 999.5 { return "\(Int(rate.rounded()))" }
    return rate < 999_500 ? tenths(rate / 1e3) + "k" : tenths(rate / 1e6) + "M"
  }

  /// As in `850ns`, `12µs`, `1.5ms`, `2.0s`.
  package static func time(_ seconds: Double?) -> String {
    guard let seconds else { return "" }
    if seconds < 0.9995e-6 { return "\(Int((seconds * 1e9).rounded()))ns" }
    for (unit, size) in [("µs", 1e-6), ("ms", 1e-3)] where seconds < 999.5 * size {
      let amount = seconds / size
      return (amount < 9.95 ? tenths(amount) : "\(Int(amount.rounded()))") + unit
    }
    return tenths(min(seconds, 1e6)) + "s"
  }

  /// A length of time, in its two largest units: “3d 4h”.
  package static func span(_ seconds: Double) -> String {
    var rest = max(0, Int(seconds))
    var parts: [String] = []
    for (unit, size) in [("d", 86400), ("h", 3600), ("m", 60), ("s", 1)] where parts.count < 2 {
      if rest >= size || unit == "s" && parts.isEmpty {
        parts.append("\(rest / size)\(unit)")
        rest %= size
      } else if !parts.isEmpty {
        break
      }
    }
    return parts.joined(separator: " ")
  }

  /// The latest of these values as bars, scaled to the largest; flat where all are zero.
  package static func sparkline(_ values: [Double], width: Int) -> String {
    let shown = values.suffix(max(0, width))
    let bars = Array("▁▂▃▄▅▆▇█")
    guard let most = shown.max(), most > 0 else { return String(repeating: "▁", count: shown.count) }
    return String(
      shown.map { $0 <= 0 ? bars[0] : bars[min(7, 1 + Int(($0 / most * 6).rounded()))] })
  }

  private static func tenths(_ number: Double) -> String {
    let tenths = Int((number * 10).rounded())
    return "\(tenths / 10).\(tenths % 10)"
  }
}

/// How a status writes its times.
public enum StatusTimes: Sendable {
  /// As timestamps, which stay true.
  case absolute
  /// As spans from this time, in seconds since 1970, for people who look at it now.
  case relative(to: Double)

  /// As in “since 2026-11-25T17:32:38Z” or “for 21m 4s”.
  package func since(_ time: Double) -> String {
    switch self {
    case .absolute: "since \(timestamp(time.rounded()))"
    case .relative(let now): "for \(StatusText.span(now - time))"
    }
  }

  /// As in “of 2026-11-25T17:32:38Z” or “of 4m 10s ago”.
  package func of(_ time: Double) -> String {
    switch self {
    case .absolute: "of \(timestamp(time.rounded()))"
    case .relative(let now): "of \(StatusText.span(now - time)) ago"
    }
  }

  /// As in “at 2026-11-25T17:32:38Z” or “in 33s”.
  package func at(_ time: Double) -> String {
    switch self {
    case .absolute: "at \(timestamp(time.rounded(.up)))"
    case .relative(let now): time > now ? "in \(StatusText.span((time - now).rounded(.up)))" : "now"
    }
  }
}

extension PipelineStatus {
  /// The contents of the state, a phrase each.
  public var holdings: [String] {
    nodes.flatMap { node -> [String] in
      var parts: [String] = []
      if let keys = node.keys, keys > 0 {
        parts.append("\(node.name) holds \(keys) key\(keys == 1 ? "" : "s")")
      }
      if node.forgotten > 0 {
        parts.append("\(node.name) has forgotten \(node.forgotten) key\(node.forgotten == 1 ? "" : "s")")
      }
      if node.early > 0 { parts.append("\(node.name) has sent \(node.early) early for lack of room") }
      if node.stale > 0 {
        parts.append(
          "\(node.name) has used old responses for \(node.stale) event\(node.stale == 1 ? "" : "s")")
      }
      if let queue = node.queue, queue > 0 {
        parts.append("\(queue) of \(node.name) wait\(queue == 1 ? "s" : "")")
      }
      return parts
    }
  }
}

extension SourceStatus.Entries {
  /// As in “197 of 200 entries up to date, 2 not polled yet, 1 fails”.
  package var counts: String {
    var parts = ["\(total - waiting - stale - failing.count) of \(entryCount(total)) up to date"]
    if waiting > 0 { parts.append("\(waiting) not polled yet") }
    if stale > 0 { parts.append("\(stale) use\(stale == 1 ? "s" : "") an old response") }
    if !failing.isEmpty { parts.append("\(failing.count) fail\(failing.count == 1 ? "s" : "")") }
    return parts.joined(separator: ", ")
  }

  /// The same, with the first that fail: “197 of 200 entries up to date, 3 fail: shop 7: …; also shop 8, shop 9”.
  public var summary: String {
    guard let first = failing.first else { return counts }
    let others = failing.dropFirst().prefix(2).map(\.id).joined(separator: ", ")
    let more = failing.count > 3 ? ", …" : ""
    return "\(counts): \(first.id): \(first.reason)" + (others.isEmpty ? "" : "; also \(others)\(more)")
  }
}

extension PipelineStatus.Standstill {
  /// As in “out waits, for 12s: its queue of 100 is full” or “exec is busy, for 12s: it is slow, or hangs”.
  package func text(_ times: StatusTimes) -> String {
    if let reason { return "\(node ?? "it") waits, \(times.since(since)): \(reason)" }
    return "\(node ?? "a step") is busy, \(times.since(since)): it is slow, or hangs"
  }
}

extension SourceStatus {
  /// The answer that is shown while the source fails, as in “, shown: the answer of 4m 10s ago”.
  package func shown(_ times: StatusTimes) -> String {
    guard isPolled else { return "" }
    return lastGood.map { ", shown: the answer \(times.of($0))" } ?? ", no answer yet"
  }

  /// As in “api is too old: no good answer for 5h 2m”; nil where it is not.
  package func age(_ times: StatusTimes) -> String? {
    if let entries, entries.tooOld > 0 {
      return "\(name): \(entries.tooOld) of \(entryCount(entries.total)) too old"
    }
    return tooOld.map { "\(name) is too old: no \(isPolled ? "good answer" : "event") \(times.since($0))" }
  }
}

extension NodeStatus.Wait {
  /// As in “12 events wait for GET https://…, since …, next try at …: answered 503”; at the end of a run without the time
  /// of a next try.
  public func text(isOver: Bool, _ times: StatusTimes = .absolute) -> String {
    let count = "\(events) event\(events == 1 ? " waits" : "s wait")"
    var text = "\(events == 0 ? "waits" : count) for \(request)"
    if let since { text += ", \(times.since(since))" }
    // Without a reason there is no request that failed.
    if reason.isEmpty { return text }
    if isOver {
      text += ", which the next run repeats"
    } else if let until {
      text += ", next try \(times.at(until))"
    }
    return text + ": \(reason)"
  }
}

extension NodeStatus.Failing {
  /// As in “fails on 1 of 12 entries, for 9 polls: shop 7: row 1: there is no amount in “null””.
  public var text: String {
    let what = isOfEntries ? entryCount(total) : "\(total) row\(total == 1 ? "" : "s")"
    let first = entries.first.map { "\($0): " } ?? ""
    let others = entries.dropFirst().prefix(2).joined(separator: ", ")
    return "fails on \(number) of \(what), for \(polls) poll\(polls == 1 ? "" : "s"): \(first)\(reason)"
      + (others.isEmpty ? "" : "; also \(others)\(entries.count > 3 ? ", …" : "")")
  }
}

extension NodeStatus {
  /// The text in its box of a graph: what has passed where that is known, how fast, and what is wrong.
  package func note(rate: Double?) -> String {
    var parts: [String] = []
    if role != .source, let eventsIn { parts.append("\(eventsIn) in") }
    if role != .sink, let eventsOut { parts.append("\(eventsOut) out") }
    if let rate, rate >= 0.05 { parts.append("\(StatusText.rate(rate))/s") }
    if errors > 0 { parts.append("\(errors) failed") }
    if let queue, queue > 0 { parts.append("\(queue) wait") }
    if let deadLetters, deadLetters > 0 { parts.append("\(deadLetters) dead") }
    return parts.joined(separator: ", ")
  }

  /// The mean time that it takes for an event.
  package var timePerEvent: String? {
    guard let seconds, let count = eventsIn, count > 0 else { return nil }
    return StatusText.time(seconds / Double(count))
  }
}
