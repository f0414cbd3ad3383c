/// A length in polls or in time, for which something must be so; the first poll that shows it counts.
public enum PollsOrTime: Sendable, Equatable {
  case polls(Int)
  case time(Duration)

  /// The time; nil for a number of polls.
  public var time: Duration? {
    if case .time(let time) = self { time } else { nil }
  }

  /// Whether so many polls, the first of them at `since` and the last at `now`, are enough.
  public func isMet(polls: Int, since: Double, now: Double) -> Bool {
    switch self {
    case .polls(let count): polls >= count
    case .time(let time): now - since >= time / .seconds(1)
    }
  }
}

extension OptionType where Value == PollsOrTime {
  /// A number of polls, or a duration.
  public static func pollsOrTime(allowingZero: Bool = false) -> OptionType {
    OptionType(
      "number of polls or duration", sample: "2", schema: .record([("type", .array(["integer", "string"]))])
    ) { node, checker in
      let found = checker.resolved(node)
      if let count = found.scalar.flatMap({ Int($0.text) }), count != 0 || !allowingZero {
        if count >= 1 { return .polls(count) }
        checker.report("at least one poll is needed here, not \(count)", at: node.place)
        return nil
      }
      return OptionType<Duration>.duration(allowingZero: allowingZero).decode(node, checker).map { .time($0) }
    }.like(DurationText.pattern(allowingZero: allowingZero))
  }
}
