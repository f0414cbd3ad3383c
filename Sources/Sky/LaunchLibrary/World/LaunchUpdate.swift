/// What somebody wrote about a change.
public struct LaunchUpdate: Sendable, Equatable {
  public let at: SkyTime
  public let comment: String
}

extension LaunchState {
  /// What was said of its changes, oldest first.
  public var updates: [LaunchUpdate] {
    var net: SkyTime?
    return history.compactMap { change in
      let comment = Self.comment(on: change.edit, after: net)
      if case .net(let date, _) = change.edit { net = date }
      return comment.map { LaunchUpdate(at: change.at, comment: $0) }
    }
  }

  private static func comment(on edit: LaunchEdit, after old: SkyTime?) -> String? {
    switch edit {
    case .announced: "Added launch."
    case .net(_, .second): "Tweaked T-0."
    case .net(let net, _):
      old ?? net < net
        ? "Slipped to \(UTC.text(net.seconds))." : "Now expected on \(UTC.text(net.seconds))."
    case .status(let status): comment(on: status)
    case .video(.restream): "A re-stream was added."
    case .webcast(isLive: true): "The webcast has begun."
    case .rocket(let rocket): "Now on \(rocket.fullName)."
    default: nil
    }
  }

  private static func comment(on status: LaunchStatus) -> String {
    switch status {
    case .go: "GO for launch."
    case .toBeConfirmed: "The date is to be confirmed."
    case .toBeDetermined: "The date is unknown again."
    case .hold: "The countdown is on hold."
    case .inFlight: "Liftoff!"
    case .payloadDeployed: "Payload deployed."
    case .success: "Launch success."
    case .failure: "Launch failure."
    case .partialFailure: "Partial failure."
    }
  }
}
