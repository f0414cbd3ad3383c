import JSON
import System

/// A cron schedule: minute, hour, day of the month, month, day of the week.
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

  /// The form of a schedule, for editors.
  static let pattern = #"^\s*(@[A-Za-z]+|(\S+\s+){4}\S+)\s*$"#

  public init(_ text: String) throws(TextError) {
    var expression = text[...]
    if text.hasPrefix("@") {
      guard let macro = Cron.macros.first(where: { $0.key == text.lowercased() }) else {
        let hint =
          text == "@reboot" ? "use at_start: true" : suggestion(for: text, among: Cron.macros.map(\.key))
        throw TextError("\(quoted(text)) is not a schedule", in: text, hint: hint)
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
        "the schedule \(quoted(text)) never occurs", in: text, hint: "check its day and month")
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

/// One of the five fields of a cron expression, as the set of numbers that it allows.
struct CronField: Hashable, Sendable {
  /// A kind of field, with the numbers it may have.
  struct Kind: Sendable {
    let name: String
    let range: ClosedRange<Int>
    var names: [String] = []

    static let minute = Kind(name: "minute", range: 0...59)
    static let hour = Kind(name: "hour", range: 0...23)
    static let day = Kind(name: "day of the month", range: 1...31)
    static let month = Kind(
      name: "month", range: 1...12,
      names: ["", "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"])
    /// Sunday is 0 and 7.
    static let weekday = Kind(
      name: "day of the week", range: 0...7, names: ["sun", "mon", "tue", "wed", "thu", "fri", "sat"])
  }

  private var bits: UInt64 = 0
  /// Whether it is written with a star: it leaves the choice to the other fields.
  private(set) var isStar = false

  func contains(_ number: Int) -> Bool { bits & (1 << UInt64(number)) != 0 }

  /// Reads a field that begins at byte `start` of the expression.
  init(_ text: Substring, _ kind: Kind, at start: Int) throws(TextError) {
    isStar = text.hasPrefix("*")
    var offset = start
    for item in text.split(separator: ",", omittingEmptySubsequences: false) {
      try add(item, kind, at: offset)
      offset += item.utf8.count + 1
    }
    if kind.range.upperBound == 7, contains(7) { bits = (bits | 1) & ~(1 << 7) }
  }

  private mutating func add(_ item: Substring, _ kind: Kind, at start: Int) throws(TextError) {
    let whole = start..<start + item.utf8.count
    let parts = item.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    let span = parts[0]
    var step = 1
    if parts.count == 2 {
      guard let number = Int(parts[1]), number > 0, number <= 60, !parts[1].hasPrefix("+") else {
        throw TextError(
          "\(quoted(String(parts[1]))) is not a step", at: whole, hint: "a step is a number, as in */15")
      }
      step = number
    }
    var low = kind.range.lowerBound
    // In the week Sunday is the first day; as 7 it would make every step that ends there count it twice.
    var high = kind.range.upperBound == 7 ? 6 : kind.range.upperBound
    if span != "*" {
      let ends = span.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
      low = try number(ends[0], kind, at: whole)
      if ends.count == 2 {
        high = try number(ends[1], kind, at: whole)
        // The week may be said to end with its Sunday.
        if kind.range.upperBound == 7, high == 0, low > 0 { high = 7 }
        guard low <= high else {
          throw TextError(
            "the range \(quoted(String(span))) is reversed", at: whole,
            hint: "write it as two, as in \(low)-\(kind.range.upperBound),\(kind.range.lowerBound)-\(high)")
        }
      } else if parts.count == 1 {
        high = low
      }
    }
    for value in stride(from: low, through: max(low, high), by: step) { bits |= 1 << UInt64(value) }
  }

  private func number(_ text: Substring, _ kind: Kind, at place: Range<Int>) throws(TextError) -> Int {
    let allowed = "\(kind.range.lowerBound) to \(kind.range.upperBound)"
    if !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) {
      if let number = Int(text), kind.range.contains(number) { return number }
      throw TextError(
        "\(quoted(String(text))) is not a valid \(kind.name)", at: place, hint: "it goes from \(allowed)")
    }
    if let index = kind.names.firstIndex(of: text.lowercased()), !text.isEmpty { return index }
    let message =
      text.isEmpty ? "the \(kind.name) is missing" : "\(quoted(String(text))) is not a valid \(kind.name)"
    if let letter = text.first, "?LW#".contains(letter) || text.contains("#") {
      throw TextError(message, at: place, hint: "?, L, W and # are not supported; use * or numbers")
    }
    let names = kind.names.filter { !$0.isEmpty }
    throw TextError(
      message, at: place,
      hint: nearest(to: String(text), among: names).map { "did you mean \(quoted($0))?" }
        ?? "it goes from \(allowed)\(names.isEmpty ? "" : ", or by its name as in \(names[1])")")
  }
}

extension Cron {
  /// The first moment after that one, in seconds since 1970 UTC, in a zone whose clocks may change.
  ///
  /// Where clocks are put forward or back, as in Vixie's cron:
  /// - a schedule that names its hours (`30 2 * * *`) runs once a day come what may: a time that is skipped runs at
  ///   the moment of the change (several of them once), a time that comes twice runs the first time;
  /// - a schedule whose hour begins with a star (`*/15 * * * *`) follows the clock: a time that is skipped does not
  ///   run, a time that comes twice runs twice.
  public func next(after moment: Int, in zone: some ZoneRules) -> Int? {
    var start = moment
    var offset = zone.offset(at: start)
    // Each turn is the time between two changes of the clocks; no zone has a thousand in forty years.
    for _ in 0..<1000 {
      guard let wall = next(after: start + offset, skippingRepeatsBefore: offset, zone) else { return nil }
      let candidate = wall - offset
      guard let change = Cron.firstChange(after: start, through: candidate, from: offset, in: zone) else {
        return candidate
      }
      let later = zone.offset(at: change)
      if !isByTheHour, later > offset, let skipped = next(after: CivilTime(seconds: change + offset - 1)),
        skipped.seconds < change + later, change > moment
      {
        return change
      }
      // The moment of the change itself may be one of the schedule's.
      start = change - 1
      offset = later
    }
    return nil
  }

  /// The next of the wall's times, counted as if this offset held on; not one that the wall showed before already.
  private func next(after wall: Int, skippingRepeatsBefore offset: Int, _ zone: some ZoneRules) -> Int? {
    var wall = wall
    while let found = next(after: CivilTime(seconds: wall))?.seconds {
      let before = zone.offset(at: found - offset - 86400)
      let isRepeat =
        before > offset && zone.offset(at: found - before) == before
        && zone.offset(at: found - offset) == offset
      if isByTheHour || !isRepeat { return found }
      wall = found
    }
    return nil
  }

  /// The first moment at which the offset is another one.
  private static func firstChange(
    after start: Int, through end: Int, from offset: Int, in zone: some ZoneRules
  ) -> Int? {
    var low = start
    while low < end {
      var high = min(low + 86400, end)
      if zone.offset(at: high) != offset {
        while high - low > 1 {
          let middle = low + (high - low) / 2
          if zone.offset(at: middle) == offset { low = middle } else { high = middle }
        }
        return high
      }
      low = high
    }
    return nil
  }
}

extension SystemZone: ZoneRules {}
