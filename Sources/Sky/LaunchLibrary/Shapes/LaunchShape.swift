// Launches as JSON: what all versions have in common.

import JSON
import Reactive

/// The shape of launches in a version and a mode.
struct LaunchShape: Sendable {
  enum Version: String, CaseIterable, Sendable {
    case v200 = "2.0.0"
    case v220 = "2.2.0"
    case v230 = "2.3.0"

    /// The folder of launches in paths.
    var folder: String { self == .v230 ? "launches" : "launch" }
  }

  enum Mode: String, CaseIterable, Sendable { case list, normal, detailed }

  let version: Version
  let mode: Mode
  /// `http://127.0.0.1:4711`.
  let origin: String
  /// The query of every link: `?format=json` if it was requested.
  let linkSuffix: String

  func write(_ launch: LaunchState) -> Value {
    switch version {
    case .v200: writeOldest(launch)
    case .v220: mode == .list ? writeFlat(launch) : writeOld(launch)
    case .v230: writeNew(launch)
    }
  }

  func write(_ thing: LaunchReference) -> Value {
    version == .v230 ? writeNew(thing) : writeOld(thing)
  }

  /// An address: `link("pad/16")`.
  func link(_ path: String) -> Value { .string("\(origin)/\(version.rawValue)/\(path)/\(linkSuffix)") }

  /// The address of a picture.
  func picture(_ name: String) -> Value { .string("\(origin)/pictures/photos/\(name).png") }

  func pictureName(of rocket: LaunchRocket, _ number: Int) -> String {
    "\(Self.fileName(rocket.fullName))-\(number)"
  }

  /// Letters, digits and dashes.
  static func fileName(_ name: String) -> String {
    name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-")
  }

  // MARK: - What all versions have

  /// The status, replaced if the version lacks it.
  func status(_ launch: LaunchState) -> LaunchStatus {
    if version.has(launch.status) { return launch.status }
    return launch.status == .payloadDeployed ? .inFlight : .toBeDetermined
  }

  /// The counts of launch attempts, of the year and of all time; null for a suborbital launch.
  func attempts(_ launch: LaunchState) -> KeyValuePairs<String, Value> {
    let isSuborbital = launch.mission.orbit?.id == LaunchCatalog.suborbitalID
    let (all, ofYear) = (7200 + launch.number, launch.numberInYear)
    let share = launch.provider.share / 100
    func count(_ number: Int) -> Value { .count(isSuborbital ? nil : number) }
    func part(_ number: Int, _ share: Double) -> Value { count(1 + Int(Double(number) * share)) }
    return [
      "orbital_launch_attempt_count": count(all), "location_launch_attempt_count": part(all, share / 2),
      "pad_launch_attempt_count": part(all, share / 3), "agency_launch_attempt_count": part(all, share),
      "orbital_launch_attempt_count_year": count(ofYear),
      "location_launch_attempt_count_year": part(ofYear, share / 2),
      "pad_launch_attempt_count_year": part(ofYear, share / 3),
      "agency_launch_attempt_count_year": part(ofYear, share),
    ]
  }

  /// The number of launches of a pad, place or provider.
  static func total(_ id: Int) -> Int { 5 + (id * 37) % 400 }

  /// The statistics of launches and landings.
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

  /// A link, for some an empty text, for some null.
  private static func sometimes(_ link: String, _ number: Int) -> Value {
    switch number % 7 {
    case 0: .null
    case 1: .string("")
    default: .string(link)
    }
  }
}

/// A cache of written launches: between two changes of a launch, its JSON stays the same.
final class LaunchPages: Sendable {
  private struct Name: Hashable {
    let id: String
    let version: LaunchShape.Version
    let mode: LaunchShape.Mode
    let origin: String
    let linkSuffix: String
  }

  private struct Page {
    let lastUpdated: SkyTime
    let value: Value
  }

  /// A page has up to a hundred launches, and few shapes are in use at a time.
  private static let most = 2000

  private let pages = Locked<[Name: Page]>([:])

  func write(_ launch: LaunchState, as shape: LaunchShape) -> Value {
    let name = Name(
      id: launch.id, version: shape.version, mode: shape.mode, origin: shape.origin,
      linkSuffix: shape.linkSuffix)
    if let page = pages.withLock({ $0[name] }), page.lastUpdated == launch.lastUpdated { return page.value }
    let value = shape.write(launch)
    pages.withLock { pages in
      if pages.count >= Self.most { pages.removeAll() }
      pages[name] = Page(lastUpdated: launch.lastUpdated, value: value)
    }
    return value
  }
}
