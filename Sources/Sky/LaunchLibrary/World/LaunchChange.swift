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
    case .announced: say("Added launch.", change.at)
    case .net(let net, let precision): move(to: net, precision, change.at)
    case .status(let status):
      self.status = status
      if status != .hold { holdReason = "" }
      if let comment = Self.comment(on: status) { say(comment, change.at) }
    case .probability(let percent): probability = percent
    case .weather(let concerns): weatherConcerns = concerns
    case .holdReason(let text): holdReason = text
    case .failReason(let text): failReason = text
    case .video(let video):
      videos.append(video)
      if video == .restream { say("A re-stream was added.", change.at) }
    case .officialPage: hasOfficialPage = true
    case .webcast(let isLive):
      isWebcastLive = isLive
      if isLive { say("The webcast has begun.", change.at) }
    case .name(let name): self.name = name
    case .rocket(let rocket):
      self.rocket = rocket
      name = "\(rocket.fullName) | \(mission.name)"
      say("Now on \(rocket.fullName).", change.at)
    case .pad(let pad): self.pad = pad
    case .picture(let number): picture = number
    case .booster(let serial): booster = serial
    case .landing(let success): hasLanded = success
    }
  }

  private mutating func say(_ comment: String, _ at: SkyTime) {
    updates.append(LaunchUpdate(at: at, comment: comment))
  }

  /// A date that is still within the window leaves the window as it is.
  private mutating func move(to net: SkyTime, _ precision: NetPrecision, _ at: SkyTime) {
    let wasExact = self.precision.rawValue < NetPrecision.day.rawValue
    let isExact = precision.rawValue < NetPrecision.day.rawValue
    if net != self.net { say(Self.comment(onMoveFrom: self.net, to: net, precision), at) }
    self.net = net
    self.precision = precision
    if wasExact, isExact, windowStart <= net, net <= windowEnd { return }
    windowStart = net
    windowEnd = isExact ? SkyTime(milliseconds: net.milliseconds + Int64(windowLength) * 1000) : net
  }

  private static func comment(onMoveFrom old: SkyTime, to net: SkyTime, _ precision: NetPrecision) -> String {
    if precision == .second { return "Tweaked T-0." }
    return old < net
      ? "Slipped to \(UTC.text(net.wholeSeconds))." : "Moved up to \(UTC.text(net.wholeSeconds))."
  }

  private static func comment(on status: LaunchStatus) -> String? {
    switch status {
    case .go: "GO for launch."
    case .toBeConfirmed: "Date to be confirmed."
    case .toBeDetermined: "Date unknown again."
    case .hold: "Countdown on hold."
    case .inFlight: "Liftoff!"
    case .payloadDeployed: "Payload deployed."
    case .success: "Launch success."
    case .failure: "Launch failure."
    case .partialFailure: "Partial failure."
    }
  }
}
