import Engine
import JSON
import Language
import System

/// The hours of notifications: when they are held back, and until when.
///
/// Times of day are local ones. A time that the change to summer time skips counts as the moment of the change.
struct NotifySchedule: Sendable {
  var quiet: QuietHours?
  var digest: DigestTimes?
  let zone: any ZoneRules

  /// Until when a notification of that time is held, in seconds since 1970; nil where it may be sent at once.
  func heldUntil(at now: Double) -> Double? {
    var time = now
    if let digest {
      guard let next = digest.cron.next(after: Int(now.rounded(.down)), in: zone) else { return nil }
      time = Double(next)
    }
    if let quiet, let end = quiet.end(at: local(time)) { time = moment(end, after: time) }
    return time > now ? time : nil
  }

  private func local(_ seconds: Double) -> CivilTime {
    let whole = Int(seconds.rounded(.down))
    return CivilTime(seconds: whole + zone.offset(at: whole))
  }

  /// The moment of a local time, later than another one.
  private func moment(_ time: CivilTime, after now: Double) -> Double {
    let first = time.seconds - zone.offset(at: Int(now))
    let second = time.seconds - zone.offset(at: first)
    return max(Double(second), now + 1)
  }
}

/// A part of the day, across midnight or not: `22:00-07:00`.
struct QuietHours: Equatable, Sendable {
  /// Minutes since midnight.
  let start: Int
  let end: Int

  init(_ text: String) throws(TextError) {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false)
    guard parts.count == 2, let start = minuteOfDay(parts[0]), let end = minuteOfDay(parts[1]), start != end
    else {
      throw TextError(
        "\(quoted(text)) is not a part of the day", in: text, hint: "write it as in 22:00-07:00")
    }
    (self.start, self.end) = (start, end)
  }

  /// The local time at which it ends; nil outside of it.
  func end(at time: CivilTime) -> CivilTime? {
    let minute = time.hour * 60 + time.minute
    let isWithin = start < end ? (start..<end).contains(minute) : minute >= start || minute < end
    guard isWithin else { return nil }
    let midnight = time.seconds - minute * 60 - time.second
    return CivilTime(seconds: midnight + end * 60 + (minute < end ? 0 : 86400))
  }

  static let type = textType("part of the day", sample: "22:00-07:00") { text throws(TextError) in
    try QuietHours(text)
  }
}

/// When digests are sent: `hourly`, `daily at 8`, `weekdays at 8:30`, `weekly on monday at 8`.
struct DigestTimes: Equatable, Sendable {
  let cron: Cron

  init(_ text: String) throws(TextError) {
    guard let schedule = Self.cron(text.lowercased().split(separator: " ")) else {
      throw TextError(
        "\(quoted(text)) is not a time for digests", in: text,
        hint: "write it as in hourly, daily at 8, weekdays at 8:30 or weekly on monday at 8")
    }
    cron = try Cron(schedule)
  }

  private static func cron(_ words: [Substring]) -> String? {
    func at(_ words: ArraySlice<Substring>, _ days: String) -> String? {
      guard words.count == 2, words.first == "at", let minute = minuteOfDay(words.last ?? "") else {
        return nil
      }
      return "\(minute % 60) \(minute / 60) * * \(days)"
    }
    switch words.first {
    case "hourly" where words.count == 1: return "0 * * * *"
    case "daily": return at(words[1...], "*")
    case "weekdays": return at(words[1...], "1-5")
    case "weekly" where words.count == 5 && words[1] == "on":
      let days = ["sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"]
      return days.firstIndex(of: String(words[2])).flatMap { at(words[3...], "\($0)") }
    default: return nil
    }
  }

  static let type = textType("times", sample: "daily at 8") { text throws(TextError) in try DigestTimes(text)
  }
}

/// Minutes since midnight: `8`, `22:00`.
private func minuteOfDay(_ text: Substring) -> Int? {
  let parts = text.split(separator: ":", omittingEmptySubsequences: false)
  guard (1...2).contains(parts.count), let hour = Int(parts[0]), (0..<24).contains(hour) else { return nil }
  guard parts.count == 2 else { return hour * 60 }
  guard parts[1].utf8.count == 2, let minute = Int(parts[1]), (0..<60).contains(minute) else { return nil }
  return hour * 60 + minute
}

private func textType<Value: Sendable>(
  _ name: String, sample: String, _ parse: @escaping @Sendable (String) throws(TextError) -> Value
) -> OptionType<Value> {
  OptionType<Value>(name, sample: sample, schema: .record([("type", "string")])) { node, checker in
    guard let scalar = checker.resolved(node).scalar else {
      checker.report(
        "expected a text, not \(checker.resolved(node).kind)", at: node.place,
        hint: "write it as in \(sample)")
      return nil
    }
    do throws(TextError) { return try parse(scalar.text) } catch { checker.report(error, in: scalar) }
    return nil
  }
}

/// The notifications that are held back, stored for the next run; of many, the first ones.
struct HeldMessages {
  static let kept = 100

  private(set) var messages: [Message] = []
  private(set) var count = 0
  /// In seconds since 1970.
  private(set) var until: Double?

  mutating func add(_ message: Message, until time: Double) {
    count += 1
    if messages.count < Self.kept { messages.append(message) }
    until = until ?? time
  }

  /// Removes a message that need not be sent any more.
  mutating func remove(_ message: Message) {
    let before = messages.count
    messages.removeAll { $0 == message }
    count -= before - messages.count
    if count == 0 { until = nil }
  }

  /// The value that the templates of a digest see: `{count, notes: [{title, body, …}]}`.
  var value: Value {
    .record([("count", .number(count)), ("notes", .array(messages.map(\.jsonValue)))])
  }

  init() {}

  init(jsonValue value: Value) {
    messages = (value.member("notes")?.items ?? []).compactMap { Message(jsonValue: $0) }
    count = max(messages.count, Int(member: value.member("count")) ?? 0)
    until = value.member("until")?.double
  }

  var jsonValue: Value {
    var value = value
    if let until { value.setMember("until", .number(until)) }
    return value
  }
}
