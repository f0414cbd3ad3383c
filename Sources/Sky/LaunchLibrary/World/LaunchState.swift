/// A launch as it stands at a moment.
public struct LaunchState: Sendable, Equatable {
  /// Its number in the world, in the order of flight, more or less; those that flew before the world began are negative.
  public let number: Int
  /// A UUID, which stays whatever changes.
  public let id: String
  /// Made from the first name, and left so.
  public let slug: String
  /// Rocket and mission: `Falcon 9 Block 5 | Skylark 12`.
  public internal(set) var name: String
  public let provider: LaunchProvider
  public internal(set) var rocket: LaunchRocket
  public let mission: LaunchMission
  public internal(set) var pad: LaunchPad

  public internal(set) var status = LaunchStatus.toBeDetermined
  /// No earlier than.
  public internal(set) var net: SkyTime
  public internal(set) var precision: NetPrecision
  public internal(set) var windowStart: SkyTime
  public internal(set) var windowEnd: SkyTime
  /// How long its window is once its time is known, in seconds.
  let windowLength: Int
  /// That the weather allows it, in per cent.
  public internal(set) var probability: Int?
  public internal(set) var weatherConcerns: String?
  public internal(set) var holdReason = ""
  public internal(set) var failReason = ""

  public internal(set) var videos: [LaunchVideo] = []
  public internal(set) var hasOfficialPage = false
  public internal(set) var isWebcastLive = false
  /// Which of its rocket's pictures is shown.
  public internal(set) var picture = 0
  /// The serial number of the first stage, where it is known and worth knowing.
  public internal(set) var booster: String?
  /// Whether the first stage landed; nil before.
  public internal(set) var hasLanded: Bool?
  /// What has happened to it since it was announced.
  var history: ArraySlice<LaunchChange> = []
  public internal(set) var lastUpdated: SkyTime

  /// As in `2026-017`, once it has flown.
  var designator: String? {
    guard status == .success else { return nil }
    let number = String(1 + UTC.dayOfYear(net.seconds) * 5 / 7)
    return "\(UTC.year(net.seconds))-" + String(repeating: "0", count: max(0, 3 - number.utf8.count)) + number
  }

  /// When it is no longer among those to come.
  public var leavesUpcoming: SkyTime { SkyTime(milliseconds: net.milliseconds + 86_400_000) }
}

/// Who shows a launch.
public enum LaunchVideo: Sendable, Equatable {
  case official, restream
}

/// How far a launch has come, by the numbers of the service.
public enum LaunchStatus: Int, Sendable, CaseIterable {
  case go = 1
  case toBeDetermined = 2
  case success = 3
  case failure = 4
  case hold = 5
  case inFlight = 6
  case partialFailure = 7
  case toBeConfirmed = 8
  case payloadDeployed = 9

  /// Whether nothing comes after it.
  public var isFinal: Bool { self == .success || self == .failure || self == .partialFailure }
}

/// How exactly the date of a launch is known, by the numbers of the service.
public enum NetPrecision: Int, Sendable, CaseIterable {
  case second = 0
  case minute = 1
  case hour = 2
  case day = 5
  case month = 7
  case quarter1 = 8
  case quarter2 = 9
  case quarter3 = 10
  case quarter4 = 11
  case half1 = 12
  case half2 = 13
  case year = 14
}
