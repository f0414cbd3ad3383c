// Launches as JSON, as version 2.3.0 writes them: the members that pipelines read.

import JSON
import Reactive

/// How much an answer has of a launch.
enum LaunchMode: String, Sendable { case list, normal, detailed }

/// The shape of launches in a mode.
struct LaunchShape: Sendable, Hashable {
  let mode: LaunchMode
  /// `http://127.0.0.1:4711`.
  let origin: String

  func write(_ launch: LaunchState) -> Value {
    let head = Value.record([
      "id": .string(launch.id), "url": "\(origin)/2.3.0/launches/\(launch.id)/", "name": .string(launch.name),
      "response_mode": .string(mode.rawValue), "slug": .string(launch.slug),
      "launch_designator": .text(launch.designator), "status": launch.status.value,
      "last_updated": .moment(launch.lastUpdated), "net": .moment(launch.net),
      "net_precision": launch.precision.value, "window_end": .moment(launch.windowEnd),
      "window_start": .moment(launch.windowStart), "image": image(of: launch.rocket, launch.picture),
      "infographic": .null,
    ])
    if mode == .list { return head }
    let body = head.adding([
      "probability": .count(launch.probability), "weather_concerns": .text(launch.weatherConcerns),
      "failreason": .string(launch.failReason), "hashtag": .null,
      "launch_service_provider": provider(launch.provider), "rocket": rocket(launch),
      "mission": mission(launch),
      "pad": pad(launch.pad), "webcast_live": .bool(launch.isWebcastLive),
      "program": .array(launch.mission.program.map { [program($0)] } ?? []),
    ])
    if mode == .normal { return body }
    return body.adding(["info_urls": .array(pages(launch)), "vid_urls": .array(videos(launch))])
  }

  // MARK: - Parts

  /// A rocket that has not flown has no picture at first.
  private func image(of rocket: LaunchRocket, _ picture: Int) -> Value {
    if rocket.maidenFlight == nil, picture == 0 { return .null }
    let file = "\(origin)/pictures/photos/\(Self.fileName(rocket.fullName))-\(picture)"
    return .record([
      "id": .count(rocket.id * 10 + picture), "name": "[AUTO] \(rocket.fullName) - image",
      "image_url": "\(file).png", "thumbnail_url": "\(file)-thumbnail.png", "credit": .null,
    ])
  }

  /// Letters, digits and dashes.
  private static func fileName(_ name: String) -> String {
    name.lowercased().split { !($0.isASCII && ($0.isLetter || $0.isNumber)) }.joined(separator: "-")
  }

  private func provider(_ provider: LaunchProvider) -> Value {
    let kinds = ["Government": 1, "Multinational": 2]
    return .record([
      "id": .count(provider.id), "name": .string(provider.name), "abbrev": .string(provider.abbreviation),
      "type": provider.kind.map { .record(["id": .count(kinds[$0] ?? 3), "name": .string($0)]) } ?? .null,
    ])
  }

  private func rocket(_ launch: LaunchState) -> Value {
    let rocket = launch.rocket
    let configuration = Value.record([
      "id": .count(rocket.id), "name": .string(rocket.name),
      "families": .array([.record(["id": .count(rocket.id + 5000), "name": .string(rocket.family)])]),
      "full_name": .string(rocket.fullName), "variant": .string(rocket.variant),
    ])
    return .record([
      "id": .count(8000 + launch.number),
      "configuration": mode == .detailed
        ? configuration.adding(["image": image(of: rocket, launch.picture)]) : configuration,
    ])
  }

  private func mission(_ launch: LaunchState) -> Value {
    let mission = launch.mission
    guard mission.isKnown else { return .null }
    return .record([
      "id": .count(6000 + launch.number), "name": .string(mission.name), "type": .string(mission.kind),
      "description": .string(mission.description),
      "orbit": mission.orbit.map { orbit in
        .record([
          "id": .count(orbit.id), "name": .string(orbit.name), "abbrev": .string(orbit.abbreviation),
        ])
      } ?? .null,
    ])
  }

  private func pad(_ pad: LaunchPad) -> Value {
    let location = pad.location
    let country = Value.record([
      "id": .count(location.country.id), "name": .string(location.country.name),
      "alpha_2_code": .string(location.country.alpha2), "alpha_3_code": .string(location.country.alpha3),
    ])
    return .record([
      "id": .count(pad.id), "name": .string(pad.name), "map_url": mapLink(pad),
      "latitude": .number(pad.latitude),
      "longitude": .number(pad.longitude), "country": country,
      "location": .record([
        "id": .count(location.id), "name": .string(location.name), "country": country,
        "longitude": .number(location.longitude), "latitude": .number(location.latitude),
        "timezone_name": .string(location.timeZone),
      ]),
    ])
  }

  /// A link, for some pads an empty text, for some null.
  private func mapLink(_ pad: LaunchPad) -> Value {
    switch pad.id % 7 {
    case 0: .null
    case 1: ""
    default: "https://www.google.com/maps?q=\(pad.latitude),\(pad.longitude)"
    }
  }

  private func program(_ program: LaunchProgram) -> Value {
    .record([
      "id": .count(program.id), "name": .string(program.name), "description": .string(program.description),
    ])
  }

  // MARK: - Details

  private func pages(_ launch: LaunchState) -> [Value] {
    guard launch.hasOfficialPage else { return [] }
    return [
      .record([
        "priority": 10, "title": .string(launch.provider.name),
        "url": "https://example.org/launches/\(launch.slug)",
        "type": .record(["id": 1, "name": "Official Page"]),
      ])
    ]
  }

  /// Ascending by priority: the official webcast is the last.
  private func videos(_ launch: LaunchState) -> [Value] {
    launch.videos.sorted { $0 == .restream && $1 == .official }.map { video in
      let isOfficial = video == .official
      let isOver = launch.status.isFinal && !launch.isWebcastLive
      return .record([
        "priority": isOfficial ? 10 : 8,
        "publisher": isOfficial ? .string(launch.provider.name) : "Lawn Chair Astronautics",
        "title": .string(launch.name), "url": "https://example.org/watch/\(launch.id.prefix(8))-\(video)",
        "type": isOfficial
          ? .record(["id": 1, "name": "Official Webcast"])
          : .record(["id": 4, "name": "Unofficial Re-stream"]),
        "start_time": .moment(launch.windowStart + -1200),
        "end_time": isOver ? .moment(launch.net + 3600) : .null, "live": .bool(launch.isWebcastLive),
      ])
    }
  }
}

extension LaunchStatus {
  fileprivate var value: Value {
    let (name, short, about): (Value, Value, Value) =
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
          "The payload got to another orbit than it was to."
        )
      case .toBeConfirmed: ("To Be Confirmed", "TBC", "The date is known, and waits for a confirmation.")
      case .payloadDeployed:
        ("Payload Deployed", "Payload Deployed", "What became of the payload is not known yet.")
      }
    return .record(["id": .count(rawValue), "name": name, "abbrev": short, "description": about])
  }
}

extension NetPrecision {
  fileprivate var value: Value {
    let (name, short) =
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
    let how = rawValue <= NetPrecision.hour.rawValue ? "accurate to" : "expected within"
    return .record([
      "id": .count(rawValue), "name": .string(name), "abbrev": .string(short),
      "description": "The T-0 is \(how) the given \(name.lowercased()).",
    ])
  }
}

/// A cache of written launches: between two changes of a launch, its JSON stays the same.
final class LaunchPages: Sendable {
  private struct Name: Hashable {
    let id: String
    let lastUpdated: SkyTime
    let shape: LaunchShape
  }

  /// A page has up to a hundred launches, and few shapes are in use at a time.
  private static let most = 2000

  private let pages = Locked<[Name: Value]>([:])

  func write(_ launch: LaunchState, as shape: LaunchShape) -> Value {
    let name = Name(id: launch.id, lastUpdated: launch.lastUpdated, shape: shape)
    if let value = pages.withLock({ $0[name] }) { return value }
    let value = shape.write(launch)
    pages.withLock { pages in
      if pages.count >= Self.most { pages.removeAll() }
      pages[name] = value
    }
    return value
  }
}
