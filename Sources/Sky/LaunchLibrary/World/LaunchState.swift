// A launch as it is at a moment, and the changes that made it so.

/// A launch at a moment.
public struct LaunchState: Sendable, Equatable {
  /// Its number, about in the order of flight; negative for launches before the start.
  public let number: Int
  /// A UUID; it never changes.
  public let id: String
  /// Made from the first name; it never changes.
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
  public internal(set) var windowStart, windowEnd: SkyTime
  /// The length of its window in seconds, once its time is known.
  let windowLength: Int
  /// The probability of suitable weather, in per cent.
  public internal(set) var probability: Int?
  public internal(set) var weatherConcerns: String?
  public internal(set) var failReason = ""

  public internal(set) var videos: [LaunchVideo] = []
  public internal(set) var hasOfficialPage = false
  public internal(set) var isWebcastLive = false
  /// The number of its picture, among those of its rocket.
  public internal(set) var picture = 0
  public internal(set) var lastUpdated: SkyTime

  /// `2026-017`, once it has flown.
  var designator: String? {
    guard status == .success else { return nil }
    return "\(net.date.year)-\(SkyDate.padded(1 + net.date.dayOfYear * 5 / 7, to: 3))"
  }

  /// The moment at which it leaves the list of upcoming launches.
  public var leavesUpcoming: SkyTime { SkyTime(milliseconds: net.milliseconds + 86_400_000) }
}

/// The source of a video.
public enum LaunchVideo: Sendable, Equatable {
  case official, restream
}

/// The status of a launch, with the numbers of the service.
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

  /// Whether no status follows it.
  public var isFinal: Bool { self == .success || self == .failure || self == .partialFailure }
}

/// The precision of a date, with the numbers of the service.
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

/// A change of a launch.
public struct LaunchChange: Sendable, Equatable {
  public let at: SkyTime
  public let edit: LaunchEdit
}

/// A change of a launch.
public enum LaunchEdit: Sendable, Equatable {
  case announced
  case net(SkyTime, NetPrecision)
  case status(LaunchStatus)
  case probability(Int)
  case weather(String)
  case failReason(String)
  case video(LaunchVideo)
  case officialPage
  case webcast(isLive: Bool)
  case name(String)
  case rocket(LaunchRocket)
  case pad(LaunchPad)
  case picture(Int)
}

extension LaunchState {
  /// The launch after a change.
  mutating func apply(_ change: LaunchChange) {
    lastUpdated = change.at
    switch change.edit {
    case .announced: break
    case .net(let net, let precision): move(to: net, precision)
    case .status(let status): self.status = status
    case .probability(let percent): probability = percent
    case .weather(let concerns): weatherConcerns = concerns
    case .failReason(let text): failReason = text
    case .video(let video): videos.append(video)
    case .officialPage: hasOfficialPage = true
    case .webcast(let isLive): isWebcastLive = isLive
    case .name(let name): self.name = name
    case .rocket(let rocket):
      self.rocket = rocket
      name = "\(rocket.fullName) | \(mission.name)"
    case .pad(let pad): self.pad = pad
    case .picture(let number): picture = number
    }
  }

  /// The window stays as it is if the new date lies within it.
  private mutating func move(to net: SkyTime, _ precision: NetPrecision) {
    let wasExact = self.precision.rawValue < NetPrecision.day.rawValue
    let isExact = precision.rawValue < NetPrecision.day.rawValue
    self.net = net
    self.precision = precision
    if wasExact, isExact, windowStart <= net, net <= windowEnd { return }
    windowStart = net
    windowEnd = isExact ? SkyTime(milliseconds: net.milliseconds + Int64(windowLength) * 1000) : net
  }
}

extension LaunchState: ListedLaunch {
  var providerName: String { provider.name }
  var statusNumber: Int { status.rawValue }
  var locationNumber: Int { pad.location.id }
  var names: [String] {
    [name, mission.name, provider.name, provider.abbreviation, pad.name, pad.location.name, rocket.fullName]
  }
}
