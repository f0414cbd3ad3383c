// The names of statuses, precisions and kinds of videos, and the lists of them.

import JSON

/// The enumerations of the service: `/config/launch_statuses/` and so on.
enum LaunchTerms: CaseIterable {
  case statuses, precisions, videoTypes

  /// Their folder in the paths of a version; nil if it has none.
  func folder(_ version: LaunchShape.Version) -> String? {
    switch (self, version) {
    case (.statuses, .v230): "config/launch_statuses"
    case (.statuses, _): "config/launchstatus"
    case (.precisions, .v230): "config/net_precisions"
    case (.videoTypes, .v230): "config/vidurl_types"
    default: nil
    }
  }

  /// The terms that occur in this version.
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
  /// Whether the version has a status; older ones lack some.
  func has(_ status: LaunchStatus) -> Bool {
    switch (status, self) {
    case (.payloadDeployed, .v200), (.payloadDeployed, .v220), (.toBeConfirmed, .v200): false
    default: true
    }
  }

  func value(of status: LaunchStatus) -> Value {
    if self == .v200 { return .record(["id": .count(status.rawValue), "name": .text(status.texts.short)]) }
    return .record([
      "id": .count(status.rawValue), "name": .text(status.texts.long), "abbrev": .text(status.texts.short),
      "description": .text(status.texts.about),
    ])
  }
}

extension NetPrecision {
  var value: Value {
    .record([
      "id": .count(rawValue), "name": .text(texts.name), "abbrev": .text(texts.short),
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

extension LaunchStatus {
  /// The name from version 2.1.0 on, the name in 2.0.0 and abbreviation in the others, and the description.
  var texts: (long: String, short: String, about: String) {
    switch self {
    case .go: ("Go for Launch", "Go", "The time of launch is confirmed by those who launch.")
    case .toBeDetermined: ("To Be Determined", "TBD", "The date is a placeholder or a rough estimate.")
    case .success: ("Launch Successful", "Success", "The payload is where it was to go.")
    case .failure: ("Launch Failure", "Failure", "The payload did not get to where it was to go.")
    case .hold: ("On Hold", "Hold", "The countdown has been stopped and may go on later.")
    case .inFlight: ("Launch in Flight", "In Flight", "The rocket has lifted off.")
    case .partialFailure:
      (
        "Launch was a Partial Failure", "Partial Failure",
        "The payload got to another orbit than it was to, or not all of it did."
      )
    case .toBeConfirmed:
      ("To Be Confirmed", "TBC", "The date is known with some certainty and waits for a confirmation.")
    case .payloadDeployed:
      (
        "Payload Deployed", "Payload Deployed",
        "The payload has been let go; what became of it is not known yet."
      )
    }
  }
}

extension NetPrecision {
  var texts: (name: String, short: String) {
    switch self {
    case .second: ("Second", "SEC")
    case .minute: ("Minute", "MIN")
    case .hour: ("Hour", "HR")
    case .day: ("Day", "DAY")
    case .month: ("Month", "M")
    case .quarter1: ("Quarter 1", "Q1")
    case .quarter2: ("Quarter 2", "Q2")
    case .quarter3: ("Quarter 3", "Q3")
    case .quarter4: ("Quarter 4", "Q4")
    case .half1: ("Half 1", "H1")
    case .half2: ("Half 2", "H2")
    case .year: ("Year", "Y")
    }
  }

  var explanation: String {
    rawValue <= NetPrecision.hour.rawValue
      ? "The T-0 is accurate to the \(texts.name.lowercased())."
      : "The T-0 is expected within the given \(texts.name.lowercased())."
  }
}
