// Launches as JSON: the parts of `mode=detailed`.

import JSON

/// The parts of a single launch or of `mode=detailed`, which differ little between versions.
extension LaunchShape {
  /// Newest first.
  func updates(_ launch: LaunchState) -> [Value] {
    launch.updates.enumerated().reversed().map { number, update in
      .record([
        "id": .count((launch.number + 1000) * 100 + number), "profile_image": picture("editor"),
        "comment": .string(update.comment), "info_url": .null, "created_by": "Sky",
        "created_on": .moment(update.at),
      ])
    }
  }

  private var english: Value {
    .record(["id": 1, "name": "English", "code": "en"])
  }

  func pages(_ launch: LaunchState) -> [Value] {
    guard launch.hasOfficialPage else { return [] }
    return [
      .record([
        "priority": 10, "source": "example.org", "title": .string(launch.provider.name),
        "description": "The page of \(launch.mission.name).", "feature_image": .null,
        "url": "https://example.org/launches/\(launch.slug)",
        "type": .record(["id": 1, "name": "Official Page"]), "language": english,
      ])
    ]
  }

  /// Ascending by priority: the official webcast is the last.
  func videos(_ launch: LaunchState) -> [Value] {
    launch.videos.sorted { $0.priority < $1.priority }.map { video in
      let isOver = launch.status.isFinal && !launch.isWebcastLive
      let begin = SkyTime(milliseconds: launch.windowStart.milliseconds - 1_200_000)
      let end = SkyTime(milliseconds: launch.net.milliseconds + 3_600_000)
      var value = Value.record([
        "priority": .count(video.priority), "source": "example.org",
        "publisher": .string(video == .official ? launch.provider.name : "Lawn Chair Astronautics"),
        "title": .string(launch.name), "description": "The launch of \(launch.mission.name), live.",
        "feature_image": .null, "url": "https://example.org/watch/\(launch.id.prefix(8))-\(video)",
        "type": video.typeValue, "language": english, "start_time": .moment(begin),
        "end_time": isOver ? .moment(end) : .null,
      ])
      if version == .v230 { value = value.adding(["live": .bool(launch.isWebcastLive)]) }
      return value
    }
  }

  /// The reusable first stage, if any.
  func stages(_ launch: LaunchState) -> [Value] {
    guard launch.rocket.isReusable else { return [] }
    let serial = launch.booster
    let flights = flights(of: launch)
    var stage = Value.record([
      "id": .count(1000 + launch.number), "type": "Core",
      "reused": serial == nil ? .null : .bool(flights > 1),
      "launcher_flight_number": serial == nil ? .null : .count(flights), "launcher": launcher(launch),
      "landing": .record([
        "id": .count(2000 + launch.number), "attempt": serial == nil ? .null : .bool(true),
        "success": launch.hasLanded.map { .bool($0) } ?? .null,
        "description": "It is to land on a ship.", "downrange_distance": 574,
        "location": .record([
          "id": 1, "name": "Patient Walrus", "abbrev": "PW",
          "description": "A ship to land on.", "location": .null, "successful_landings": 200,
        ]),
        "type": .record([
          "id": 1, "name": "Autonomous Spaceport Drone Ship", "abbrev": "ASDS",
          "description": "A barge without a crew.",
        ]),
      ]), "previous_flight_date": .null, "previous_flight": .null,
    ])
    stage =
      version == .v230
      ? stage.adding(["turn_around_time": .null]) : stage.adding(["turn_around_time_days": .null])
    return [stage]
  }

  /// Including this one; 0 while the stage is unknown.
  private func flights(of launch: LaunchState) -> Int {
    launch.booster == nil ? 0 : 1 + (launch.number + 1000) % 20
  }

  func launcher(_ launch: LaunchState) -> Value {
    let flights = flights(of: launch)
    let number = LaunchReference.launcher(launch).id
    return .record([
      "id": .count(number), "url": link("\(LaunchReference.Kind.launcher.folder(version))/\(number)"),
      "details": "A first stage.", "flight_proven": .bool(flights > 1),
      "serial_number": .string(launch.booster ?? "Unknown \(launch.rocket.family)"),
      "status": "active", "image_url": .null, "successful_landings": .count(max(0, flights - 1)),
      "attempted_landings": .count(max(0, flights - 1)), "flights": .count(max(0, flights - 1)),
      "first_launch_date": .null, "last_launch_date": .null,
    ])
  }

  func timeline(_ launch: LaunchState) -> [Value] {
    guard launch.rocket.isReusable else { return [] }
    let moments: [(time: String, name: String)] = [
      ("-PT38M", "GO for Prop Load"), ("-PT1M", "Startup"), ("PT0S", "Liftoff"),
      ("PT2M29S", "Stage 2 Separation"),
    ]
    return moments.enumerated().map { number, moment in
      .record([
        "type": .record([
          "id": .count(number + 1), "abbrev": .string(moment.name), "description": .string(moment.name),
        ]), "relative_time": .string(moment.time),
      ])
    }
  }

  func turnaround(_ launch: LaunchState) -> Value {
    .string("P\(3 + (launch.number + 1000) % 20)DT\((launch.number + 1000) % 24)H5M")
  }
}

extension LaunchVideo {
  fileprivate var priority: Int { self == .official ? 10 : 8 }
}
