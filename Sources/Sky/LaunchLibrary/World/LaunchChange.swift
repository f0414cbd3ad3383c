/// Something that happened to a launch.
public struct LaunchChange: Sendable, Equatable {
  public let at: SkyTime
  public let edit: LaunchEdit
}

/// What is changed of a launch.
public enum LaunchEdit: Sendable, Equatable {
  case announced
  case net(SkyTime, NetPrecision)
  case status(LaunchStatus)
  case probability(Int)
  case weather(String)
  case holdReason(String)
  case failReason(String)
  case video(LaunchVideo)
  case officialPage
  case webcast(isLive: Bool)
  case name(String)
  case rocket(LaunchRocket)
  case pad(LaunchPad)
  case picture(Int)
  case booster(String)
  case landing(Bool)
}

extension LaunchState {
  /// The launch after a change.
  mutating func apply(_ change: LaunchChange) {
    lastUpdated = change.at
    switch change.edit {
    case .announced: break
    case .net(let net, let precision): move(to: net, precision)
    case .status(let status):
      self.status = status
      if status != .hold { holdReason = "" }
    case .probability(let percent): probability = percent
    case .weather(let concerns): weatherConcerns = concerns
    case .holdReason(let text): holdReason = text
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
    case .booster(let serial): booster = serial
    case .landing(let success): hasLanded = success
    }
  }

  /// A date that is still within the window leaves the window as it is.
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
