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
  public init(seed: UInt64, upcoming: Int = 350, perWeek: Double = 5) {
    let spacing = 7 * 86400 / max(0.01, perWeek)
    // A launch stays in the list for a day after its flight.
    let stay = Double(max(1, upcoming)) * spacing
    setting = Setting(
      seed: seed, start: Self.start.seconds, spacing: spacing, meanLead: max(2 * 86400, stay - 86400))
    firstNumber = -Int(52 * perWeek)
  }

  /// All launches announced so far, flown or not, by number.
  public func launches(at now: SkyTime) -> [LaunchState] {
    states(firstNumber...lastNumber(at: now), at: now)
  }

  /// Launches to come, and those that flew less than a day ago.
  public func upcoming(at now: SkyTime) -> [LaunchState] {
    let last = lastNumber(at: now)
    let first =
      Int((Double(now.seconds - 2 * 86400 - setting.start) / setting.spacing).rounded(.down)) - 2
    return states(min(max(first, firstNumber), last)...last, at: now).filter { $0.leavesUpcoming > now }
  }

  /// The launch with an id; nil if it has not been announced.
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

  /// All changes of a launch, past and future, in order of time.
  public func changes(of number: Int) -> [LaunchChange] {
    lives(number...number).first?.changes ?? []
  }

  // MARK: - Lives

  /// The number of the last launch that can have been announced.
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
