import JSON

/// The words of the service by their numbers: `/config/launch_statuses/` and its like.
enum LaunchTerms: CaseIterable {
  case statuses, precisions, videoTypes

  /// What they are called in the paths of a version; nil where it has none.
  func folder(_ version: LaunchShape.Version) -> String? {
    switch (self, version) {
    case (.statuses, .v230): "config/launch_statuses"
    case (.statuses, _): "config/launchstatus"
    case (.precisions, .v230): "config/net_precisions"
    case (.videoTypes, .v230): "config/vidurl_types"
    default: nil
    }
  }

  /// Those that are in use.
  func values(_ version: LaunchShape.Version) -> [(id: Int, entry: Value)] {
    switch self {
    case .statuses:
      LaunchStatus.allCases.filter { version.has($0) }.map { ($0.rawValue, version.value(of: $0)) }
    case .precisions: NetPrecision.allCases.map { ($0.rawValue, $0.value) }
    case .videoTypes:
      [LaunchVideo.official, .restream].map { ($0.typeNumber, $0.typeValue) }
    }
  }
}

extension LaunchShape.Version {
  /// Whether it knows a status: the older ones lack some.
  func has(_ status: LaunchStatus) -> Bool {
    switch (status, self) {
    case (.payloadDeployed, .v200), (.payloadDeployed, .v220), (.toBeConfirmed, .v200): false
    default: true
    }
  }

  func value(of status: LaunchStatus) -> Value {
    if self == .v200 { return .record(["id": .count(status.rawValue), "name": .text(status.shortName)]) }
    return .record([
      "id": .count(status.rawValue), "name": .text(status.longName), "abbrev": .text(status.shortName),
      "description": .text(status.explanation),
    ])
  }
}

extension NetPrecision {
  var value: Value {
    .record([
      "id": .count(rawValue), "name": .text(name), "abbrev": .text(abbreviation),
      "description": .text(explanation),
    ])
  }
}

extension LaunchVideo {
  fileprivate var typeNumber: Int { self == .official ? 1 : 4 }

  var typeValue: Value {
    .record([
      "id": .count(typeNumber),
      "name": .string(self == .official ? "Official Webcast" : "Unofficial Re-stream"),
    ])
  }
}
