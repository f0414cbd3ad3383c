import Synchronization

/// All launches there are, from their announcements to their ends.
///
/// What a launch is and what happens to it follows from the seed and its number alone, so that the world can be looked
/// at, at any moment, in any order:
///
///     let world = LaunchWorld(seed: 1)
///     world.launches(at: now)              // all that have been announced
///     world.upcoming(at: now)              // those that have not flown a day ago
///     world.changes(of: 12)                // all that ever happens to the twelfth
public final class LaunchWorld: Sendable {
  /// When the world begins: 2026-01-01.
  public static let start = SkyTime(seconds: 1_767_225_600)

  struct Setting: Sendable {
    let seed: UInt64
    let start: Int
    /// Seconds from one launch to the next.
    let spacing: Double
    /// Seconds from an announcement to the flight, in the mean.
    let meanLead: Double
  }

  private let setting: Setting
  /// The first launch there is; it flew a year before the world began.
  private let firstNumber: Int
  private let known = Mutex<[Int: LaunchLife]>([:])
  /// The numbers of launches that were asked for by their ids.
  private let numbers = Mutex<[String: Int]>([:])
  /// More than are looked at in a world of some years.
  private static let knownLimit = 20_000

  /// - Parameters:
  ///   - upcoming: how many launches are to come at any time, more or less
  ///   - perWeek: how many fly in a week
  public init(seed: UInt64, upcoming: Int = 350, perWeek: Double = 5) {
    let spacing = 7 * 86400 / max(0.01, perWeek)
    // A launch stays a day after its flight.
    let stay = Double(max(1, upcoming)) * spacing
    setting = Setting(
      seed: seed, start: Self.start.seconds, spacing: spacing, meanLead: max(2 * 86400, stay - 86400))
    firstNumber = -Int(52 * perWeek)
  }

  /// All that have been announced, those that flew too, by their numbers.
  public func launches(at now: SkyTime) -> [LaunchState] {
    states(firstNumber...lastNumber(at: now), at: now)
  }

  /// Those to come, and those that flew less than a day ago.
  public func upcoming(at now: SkyTime) -> [LaunchState] {
    let last = lastNumber(at: now)
    let first =
      Int((Double(now.seconds - 2 * 86400 - setting.start) / setting.spacing).rounded(.down)) - 2
    return states(min(max(first, firstNumber), last)...last, at: now).filter { $0.leavesUpcoming > now }
  }

  /// The launch of an id; nil where there is none, or where it has not been announced.
  public func launch(_ id: String, at now: SkyTime) -> LaunchState? {
    if let number = numbers.withLock({ $0[id] }) { return lives(number...number).first?.state(at: now) }
    guard let life = lives(firstNumber...lastNumber(at: now)).first(where: { $0.plan.id == id }) else {
      return nil
    }
    numbers.withLock { numbers in
      if numbers.count > Self.knownLimit { numbers.removeAll() }
      numbers[id] = life.plan.number
    }
    return life.state(at: now)
  }

  /// All that ever happens to a launch, in order of time, what has not happened yet too.
  public func changes(of number: Int) -> [LaunchChange] {
    lives(number...number).first?.changes ?? []
  }

  // MARK: - Lives

  /// The last that can have been announced.
  private func lastNumber(at now: SkyTime) -> Int {
    let longest = LaunchPlan.longestLead * setting.meanLead
    let last = (Double(now.seconds - setting.start) + longest) / setting.spacing
    return max(firstNumber, Int(last.rounded(.down)) + 2)
  }

  private func states(_ numbers: ClosedRange<Int>, at now: SkyTime) -> [LaunchState] {
    lives(numbers).compactMap { $0.state(at: now) }
  }

  private func lives(_ numbers: ClosedRange<Int>) -> [LaunchLife] {
    known.withLock { known in
      if known.count > Self.knownLimit { known.removeAll() }
      return numbers.map { number in
        if let life = known[number] { return life }
        let life = LaunchLife(number, of: setting)
        known[number] = life
        return life
      }
    }
  }
}
