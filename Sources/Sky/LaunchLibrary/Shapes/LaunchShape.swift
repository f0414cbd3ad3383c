import JSON

/// How a version of the service writes launches down.
struct LaunchShape: Sendable {
  enum Version: String, CaseIterable, Sendable {
    case v200 = "2.0.0"
    case v220 = "2.2.0"
    case v230 = "2.3.0"

    /// What launches are called in paths.
    var folder: String { self == .v230 ? "launches" : "launch" }
  }

  enum Mode: String, CaseIterable, Sendable { case list, normal, detailed }

  let version: Version
  let mode: Mode
  /// `http://127.0.0.1:4711`.
  let origin: String
  /// What every link carries: `?format=json` where that was asked for.
  let linkSuffix: String

  func write(_ launch: LaunchState) -> Value {
    switch version {
    case .v200: writeOldest(launch)
    case .v220: mode == .list ? writeFlat(launch) : writeOld(launch)
    case .v230: writeNew(launch)
    }
  }

  func write(_ thing: LaunchThing) -> Value {
    version == .v230 ? writeNew(thing) : writeOld(thing)
  }

  /// The address of a thing: `link("pad/16")`.
  func link(_ path: String) -> Value { .string("\(origin)/\(version.rawValue)/\(path)/\(linkSuffix)") }

  /// The address of a picture of something.
  func picture(_ name: String) -> Value { .string("\(origin)/pictures/photos/\(name).png") }

  func pictureName(of rocket: LaunchRocket, _ number: Int) -> String {
    "\(Self.fileName(rocket.fullName))-\(number)"
  }

  /// Letters, digits and dashes.
  static func fileName(_ name: String) -> String {
    name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-")
  }

  // MARK: - What all versions have

  /// The status as a version knows it: the older ones lack some.
  func status(_ launch: LaunchState) -> LaunchStatus {
    if version.has(launch.status) { return launch.status }
    return launch.status == .payloadDeployed ? .inFlight : .toBeDetermined
  }

  /// The place of a launch among all, of its year and of all time; null for one that goes to no orbit.
  func attempts(_ launch: LaunchState) -> KeyValuePairs<String, Value> {
    guard launch.mission.orbit?.id != LaunchCatalog.suborbital.id else {
      return [
        "orbital_launch_attempt_count": .null, "location_launch_attempt_count": .null,
        "pad_launch_attempt_count": .null, "agency_launch_attempt_count": .null,
        "orbital_launch_attempt_count_year": .null, "location_launch_attempt_count_year": .null,
        "pad_launch_attempt_count_year": .null, "agency_launch_attempt_count_year": .null,
      ]
    }
    let all = 7200 + launch.number
    let ofYear = 1 + UTC.dayOfYear(launch.net.seconds) * 5 / 7
    let share = launch.provider.share / 100
    func part(_ number: Int, _ share: Double) -> Value { .count(1 + Int(Double(number) * share)) }
    return [
      "orbital_launch_attempt_count": .count(all), "location_launch_attempt_count": part(all, share / 2),
      "pad_launch_attempt_count": part(all, share / 3), "agency_launch_attempt_count": part(all, share),
      "orbital_launch_attempt_count_year": .count(ofYear),
      "location_launch_attempt_count_year": part(ofYear, share / 2),
      "pad_launch_attempt_count_year": part(ofYear, share / 3),
      "agency_launch_attempt_count_year": part(ofYear, share),
    ]
  }

  /// How often a pad, a place or a provider has launched, as if by the end of 2025.
  static func total(_ id: Int) -> Int { 5 + (id * 37) % 400 }

  /// What became of the launches of something, and of the landings after them.
  static func record(_ id: Int, pending: Int) -> KeyValuePairs<String, Value> {
    let launches = total(id)
    let failed = launches / 30
    return [
      "total_launch_count": .count(launches), "consecutive_successful_launches": .count(launches / 4),
      "successful_launches": .count(launches - failed), "failed_launches": .count(failed),
      "pending_launches": .count(pending), "consecutive_successful_landings": .count(launches / 5),
      "successful_landings": .count(launches / 2), "failed_landings": .count(failed),
      "attempted_landings": .count(launches / 2 + failed),
    ]
  }

  func mapLink(_ pad: LaunchPad) -> Value {
    Self.sometimes("https://www.google.com/maps?q=\(pad.latitude),\(pad.longitude)", pad.id)
  }

  func wikiLink(_ pad: LaunchPad) -> Value {
    Self.sometimes("https://example.org/wiki/\(Self.fileName(pad.name))", pad.id / 7)
  }

  /// Most have it; some have an empty text, some nothing.
  private static func sometimes(_ link: String, _ number: Int) -> Value {
    switch number % 7 {
    case 0: .null
    case 1: .string("")
    default: .string(link)
    }
  }
}
