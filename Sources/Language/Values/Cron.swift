import System
/// A schedule by the calendar: minute, hour, day of the month, month, day of the week.
///
///     try Cron("0 */6 * * *")   // every six hours
///     try Cron("30 8 * * mon-fri")
///     try Cron("@daily")
///
/// As in other crons, when both the day of the month and the day of the week are given, either is enough; a field
/// that begins with a star is not given.
public struct Cron: Hashable, Sendable {
  let minute: CronField
  let hour: CronField
  let day: CronField
  let month: CronField
  let weekday: CronField

  private static let macros: KeyValuePairs = [
    "@hourly": "0 * * * *", "@daily": "0 0 * * *", "@midnight": "0 0 * * *", "@weekly": "0 0 * * 0",
    "@monthly": "0 0 1 * *", "@yearly": "0 0 1 1 *", "@annually": "0 0 1 1 *",
  ]

  public init(_ text: String) throws(TextError) {
    var expression = text[...]
    if text.hasPrefix("@") {
      guard let macro = Cron.macros.first(where: { $0.key == text.lowercased() }) else {
        let hint =
          text == "@reboot" ? "use at_start: true" : suggestion(for: text, among: Cron.macros.map(\.key))
        throw TextError("\(quoted(text)) is no schedule", in: text, hint: hint)
      }
      expression = macro.value[...]
    }
    let fields = expression.split { $0 == " " || $0 == "\t" || $0 == "\n" }
    guard fields.count == 5 else {
      let usage = "the five are minute, hour, day of the month, month and day of the week, as in 0 */6 * * *"
      let extra = fields.count == 6 ? "; there is none for seconds or years" : ""
      let given = "\(fields.count) field\(fields.count == 1 ? "" : "s")"
      throw TextError(
        "a cron schedule has five fields, and \(quoted(text)) has \(given)", in: text, hint: usage + extra)
    }
    func start(_ index: Int) -> Int {
      expression.utf8.distance(from: expression.startIndex, to: fields[index].startIndex)
    }
    minute = try CronField(fields[0], .minute, at: start(0))
    hour = try CronField(fields[1], .hour, at: start(1))
    day = try CronField(fields[2], .day, at: start(2))
    month = try CronField(fields[3], .month, at: start(3))
    weekday = try CronField(fields[4], .weekday, at: start(4))
    // Forty years see every leap day on every day of the week.
    if next(after: CivilTime(2000, 1, 1)) == nil {
      throw TextError(
        "the schedule \(quoted(text)) has no day that ever comes", in: text, hint: "see its day and month")
    }
  }

  /// Whether it follows the hours of a clock rather than naming times of day.
  var isByTheHour: Bool { hour.isStar }

  func matches(_ day: CivilTime) -> Bool {
    guard month.contains(day.month) else { return false }
    let (byDate, byWeekday) = (self.day.contains(day.day), weekday.contains(day.weekday))
    return self.day.isStar || weekday.isStar ? byDate && byWeekday : byDate || byWeekday
  }

  /// The first time after that one on a wall whose clock never changes; nil when there is none in forty years.
  public func next(after time: CivilTime) -> CivilTime? {
    let start = floorDivide(time.seconds, 60) * 60 + 60
    let firstDay = floorDivide(start, 86400)
    for dayNumber in firstDay...(firstDay + 14_700) {
      let date = CivilTime(seconds: dayNumber * 86400)
      guard matches(date) else { continue }
      let from = dayNumber == firstDay ? start - dayNumber * 86400 : 0
      for minuteOfDay in (from / 60)..<1440
      where hour.contains(minuteOfDay / 60) && minute.contains(minuteOfDay % 60) {
        return CivilTime(seconds: dayNumber * 86400 + minuteOfDay * 60)
      }
    }
    return nil
  }
}
