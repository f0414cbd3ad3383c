// The world of Launch Library 2: all launches at any moment.

import Reactive

/// All launches, from announcement to end.
///
/// A launch and its changes follow from the seed and its number alone, so that the world can be computed
/// for any moments in any order:
///
///     let world = LaunchWorld(seed: 1)
///     world.launches(at: now)              // all announced so far
///     world.upcoming(at: now)              // those to come
///     world.changes(of: 12)                // all changes of number 12
public final class LaunchWorld: Sendable {
  /// The default start of time: 2026-01-01.
  public static let start = SkyTime(seconds: 1_767_225_600)

  struct Setting: Sendable {
    let seed: UInt64
    let start: Int
    /// Seconds from one launch to the next.
    let spacing: Double
    /// Mean seconds from an announcement to the flight.
    let meanLead: Double
    /// The shares of launches that are withdrawn, and that disappear for a while.
    var withdrawn = 0.0
    var absent = 0.0
  }

  private let setting: Setting
  /// The first launch; it flew a year before the start.
  private let firstNumber: Int
  private let known = Locked<[Int: LaunchLife]>([:])
  /// The numbers of launches that were requested by id.
  private let numbers = Locked<[String: Int]>([:])
  /// More launches than a few years have.
  private static let knownLimit = 20_000

  /// - Parameters:
  ///   - upcoming: about how many launches are upcoming at any time
  ///   - perWeek: how many fly in a week
  ///   - withdrawn: the share of launches that are withdrawn for good before they fly
  ///   - absent: the share of launches that disappear once and return
  public init(
    seed: UInt64, upcoming: Int = 350, perWeek: Double = 5, withdrawn: Double = 0, absent: Double = 0
  ) {
    let spacing = 7 * 86400 / max(0.01, perWeek)
    // A launch stays in the list for a day after its flight.
    let stay = Double(max(1, upcoming)) * spacing
    setting = Setting(
      seed: seed, start: Self.start.seconds, spacing: spacing, meanLead: max(2 * 86400, stay - 86400),
      withdrawn: withdrawn, absent: absent)
    firstNumber = -Int(52 * perWeek)
  }

  /// All launches announced so far, flown or not, by number.
  public func launches(at now: SkyTime) -> [LaunchState] {
    lives(until: now).compactMap { $0.state(at: now) }
  }

  /// Launches to come, and those that flew less than a day ago.
  public func upcoming(at now: SkyTime) -> [LaunchState] {
    let last = lastNumber(at: now)
    let first =
      Int((Double(now.seconds - 2 * 86400 - setting.start) / setting.spacing).rounded(.down)) - 2
    return lives(min(max(first, firstNumber), last)...last).compactMap { $0.state(at: now) }
      .filter { $0.leavesUpcoming > now }
  }

  /// The launch with an id; nil if it has not been announced.
  public func launch(_ id: String, at now: SkyTime) -> LaunchState? {
    if let number = numbers.withLock({ $0[id] }) { return lives(number...number).first?.state(at: now) }
    guard let life = lives(until: now).first(where: { $0.plan.id == id }) else { return nil }
    numbers.withLock { numbers in
      if numbers.count > Self.knownLimit { numbers.removeAll() }
      numbers[id] = life.plan.number
    }
    return life.state(at: now)
  }

  /// All changes of a launch, past and future, in order of time.
  public func changes(of number: Int) -> [LaunchChange] {
    lives(number...number).first?.changes ?? []
  }

  /// Ten launches of 1957 and 1958, from the end of the database, for the fault `past`.
  var earliest: [LaunchState] {
    (0..<10).map { number in
      var launch = LaunchState(LaunchPlan(number - 7199, of: setting))
      launch.apply(
        LaunchChange(at: Self.start, edit: .net(SkyDate(1957, 10, 4 + 30 * number).start, .day)))
      launch.apply(LaunchChange(at: Self.start, edit: .status(.success)))
      return launch
    }
  }

  // MARK: - Lives

  /// The lives of all launches that can have been announced until a moment, by number.
  func lives(until end: SkyTime) -> [LaunchLife] { lives(firstNumber...lastNumber(at: end)) }

  /// The number of the last launch that can have been announced.
  private func lastNumber(at now: SkyTime) -> Int {
    let longest = LaunchPlan.longestLead * setting.meanLead
    let last = (Double(now.seconds - setting.start) + longest) / setting.spacing
    return max(firstNumber, Int(last.rounded(.down)) + 2)
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
