import Glibc
import Reactive

/// The troubles of a scenario's server: now and then it is killed or frozen, and is back after a while.
///
///     var troubles = Troubles(oneIn: 300, longest: (100, 1500), kill: server.stop, start: server.start, signal: server.signal)
///     try troubles.tend()   // as often as the scenario is tended
///     try troubles.end()    // back, and for good
struct Troubles {
  private let rarity: Int
  /// How long it is away or frozen at most, counted in calls of `tend`.
  private let longest: (away: Int, frozen: Int)
  private let kill: () throws -> Void
  private let start: () throws -> Void
  private let signal: (Int32) throws -> Void
  private var dice = SplitMix64(seed: 1)
  private var pause = 0
  private var isFrozen = false
  /// How often it was killed.
  private(set) var kills = 0

  init(
    oneIn rarity: Int, longest: (away: Int, frozen: Int), kill: @escaping () throws -> Void,
    start: @escaping () throws -> Void, signal: @escaping (Int32) throws -> Void
  ) {
    (self.rarity, self.longest) = (rarity, longest)
    (self.kill, self.start, self.signal) = (kill, start, signal)
  }

  /// Whether it answers.
  var areOver: Bool { pause == 0 }

  mutating func tend() throws {
    if pause > 0 {
      pause -= 1
      if pause == 0 { try bringBack() }
    } else if dice.below(rarity) == 0 {
      isFrozen = dice.below(2) == 0
      pause = 1 + dice.below(isFrozen ? longest.frozen : longest.away)
      if isFrozen {
        try signal(SIGSTOP)
      } else {
        try kill()
        kills += 1
      }
    }
  }

  mutating func end() throws {
    if pause > 0 { try bringBack() }
  }

  private mutating func bringBack() throws {
    try isFrozen ? signal(SIGCONT) : start()
    pause = 0
  }
}
