// Launches as JSON: versions 2.2.0 and 2.0.0.

import JSON

/// Launches as 2.2.0 and 2.0.0 write them.
extension LaunchShape {
  /// 2.0.0: no `last_updated`, two flags instead of the precision, short names of statuses.
  func writeOldest(_ launch: LaunchState) -> Value {
    let isDateUnknown = launch.precision.rawValue > NetPrecision.day.rawValue
    var body = Value.record([
      "id": .string(launch.id), "url": link("launch/\(launch.id)"), "launch_library_id": .null,
      "slug": .string(launch.slug), "name": .string(launch.name), "status": version.value(of: status(launch)),
      "net": .moment(launch.net), "window_end": .moment(launch.windowEnd),
      "window_start": .moment(launch.windowStart), "inhold": .bool(launch.status == .hold),
      "tbdtime": .bool(launch.precision.rawValue >= NetPrecision.day.rawValue),
      "tbddate": .bool(isDateUnknown),
    ])
    body = body.adding(chances(launch)).adding(parts(launch))
    if mode == .detailed { body = body.adding(oldDetails(launch)) }
    return body
  }

  /// 2.2.0, normal and detailed.
  func writeOld(_ launch: LaunchState) -> Value {
    var body = head(launch)
    body = body.adding([
      "probability": .count(launch.probability), "weather_concerns": .text(launch.weatherConcerns),
    ])
    body = body.adding(chances(launch)).adding(parts(launch)).adding(attempts(launch))
    if mode == .detailed { body = body.adding(oldDetails(launch)) }
    return body.adding(["type": .string(mode.rawValue)])
  }

  /// A reference by itself.
  func writeOld(_ thing: LaunchReference) -> Value {
    switch thing {
    case .agency(let provider): agency(provider)
    case .pad(let pad, let provider): self.pad(pad, provider)
    case .location(let location): self.location(location)
    case .rocket(let rocket, let provider): configuration(of: rocket, 0, provider)
    case .program(let program, let provider): self.program(program, provider)
    case .launcher(let launch): launcher(launch)
    }
  }

  /// 2.2.0 with `mode=list`: names instead of objects.
  func writeFlat(_ launch: LaunchState) -> Value {
    head(launch).adding([
      "lsp_name": .string(launch.provider.name),
      "mission": launch.mission.isKnown ? .string(launch.mission.name) : .null,
      "mission_type": launch.mission.isKnown ? .string(launch.mission.kind) : .null,
      "pad": .string(launch.pad.name), "location": .string(launch.pad.location.name), "landing": .null,
      "landing_success": .null, "launcher": .null, "orbit": .null,
      "image": picture(pictureName(of: launch.rocket, launch.picture)), "infographic": .null, "type": "list",
    ])
  }

  private func head(_ launch: LaunchState) -> Value {
    .record([
      "id": .string(launch.id), "url": link("launch/\(launch.id)"), "slug": .string(launch.slug),
      "name": .string(launch.name), "status": version.value(of: status(launch)),
      "last_updated": .moment(launch.lastUpdated), "net": .moment(launch.net),
      "net_precision": launch.precision.value, "window_end": .moment(launch.windowEnd),
      "window_start": .moment(launch.windowStart),
    ])
  }

  private func chances(_ launch: LaunchState) -> KeyValuePairs<String, Value> {
    [
      "probability": .count(launch.probability), "holdreason": .string(launch.holdReason),
      "failreason": .string(launch.failReason), "hashtag": .null,
    ]
  }

  private func parts(_ launch: LaunchState) -> KeyValuePairs<String, Value> {
    [
      "launch_service_provider": agency(launch.provider), "rocket": rocket(launch),
      "mission": mission(launch),
      "pad": pad(launch.pad, launch.provider), "webcast_live": .bool(launch.isWebcastLive),
      "image": picture(pictureName(of: launch.rocket, launch.picture)), "infographic": .null,
      "program": .array(program(launch)),
    ]
  }

  // MARK: - Parts

  private func agency(_ provider: LaunchProvider) -> Value {
    let short = Value.record([
      "id": .count(provider.id), "url": link("agencies/\(provider.id)"), "name": .string(provider.name),
      "type": .text(provider.kind),
    ])
    guard mode == .detailed else { return short }
    return short.adding([
      "featured": .bool(provider.share >= 4), "country_code": .string(provider.country.alpha3),
      "abbrev": .string(provider.abbreviation),
      "description": "\(provider.name), in a sky that is simulated.", "administrator": .null,
      "founding_year": "\(provider.founded)",
      "launchers": .string(provider.rockets.map(\.name).joined(separator: " | ")), "spacecraft": "",
      "launch_library_url": .null,
    ]).adding(Self.record(provider.id, pending: Int(provider.share * 3))).adding([
      "info_url": .null, "wiki_url": .null, "logo_url": picture("agency-\(provider.id)"), "image_url": .null,
      "nation_url": .null,
    ])
  }

  private func rocket(_ launch: LaunchState) -> Value {
    let rocket = Value.record([
      "id": .count(8000 + launch.number),
      "configuration": configuration(of: launch.rocket, launch.picture, launch.provider),
    ])
    guard mode == .detailed else { return rocket }
    return rocket.adding(["launcher_stage": .array(stages(launch)), "spacecraft_stage": .null])
  }

  private func configuration(of rocket: LaunchRocket, _ picture: Int, _ provider: LaunchProvider) -> Value {
    var configuration = Value.record(["id": .count(rocket.id)])
    if version == .v200 { configuration = configuration.adding(["launch_library_id": .null]) }
    configuration = configuration.adding([
      "url": link("config/launcher/\(rocket.id)"), "name": .string(rocket.name),
      "family": .string(rocket.family),
      "full_name": .string(rocket.fullName), "variant": .string(rocket.variant),
    ])
    guard mode == .detailed else { return configuration }
    return configuration.adding([
      "active": true, "reusable": .bool(rocket.isReusable), "description": "A rocket.",
      "manufacturer": agency(provider), "program": [], "alias": "", "min_stage": 2,
      "max_stage": 2, "length": rocket.length.map { .number($0) } ?? .null, "diameter": .null,
      "maiden_flight": .text(rocket.maidenFlight), "launch_cost": .null, "launch_mass": .null,
      "leo_capacity": .count(rocket.capacity), "gto_capacity": .null, "to_thrust": .null, "apogee": .null,
      "vehicle_range": .null, "image_url": self.picture(pictureName(of: rocket, picture)), "info_url": .null,
      "wiki_url": .null,
    ]).adding(Self.record(rocket.id, pending: 12))
  }

  private func mission(_ launch: LaunchState) -> Value {
    let mission = launch.mission
    guard mission.isKnown else { return .null }
    var value = Value.record(["id": .count(6000 + launch.number)])
    if version == .v200 { value = value.adding(["launch_library_id": .null]) }
    let orbit = mission.orbit.map {
      Value.record([
        "id": .count($0.id), "name": .string($0.name), "abbrev": .string($0.abbreviation),
      ])
    }
    value = value.adding([
      "name": .string(mission.name), "description": .string(mission.description), "launch_designator": .null,
      "type": .string(mission.kind), "orbit": orbit ?? .null,
    ])
    guard version == .v220 else { return value }
    return value.adding(["agencies": [], "info_urls": [], "vid_urls": []])
  }

  private func location(_ location: LaunchLocation) -> Value {
    var place = Value.record([
      "id": .count(location.id), "url": link("location/\(location.id)"), "name": .string(location.name),
      "country_code": .string(location.country.alpha3), "map_image": picture("location-\(location.id)"),
    ])
    if isFull { place = place.adding(["description": .null, "timezone_name": .string(location.timeZone)]) }
    return place.adding([
      "total_launch_count": .count(Self.total(location.id)), "total_landing_count": 0,
    ])
  }

  private var isFull: Bool { mode == .detailed && version == .v220 }

  private func pad(_ pad: LaunchPad, _ provider: LaunchProvider) -> Value {
    let location = pad.location
    var value = Value.record([
      "id": .count(pad.id), "url": link("pad/\(pad.id)"),
      "agency_id": pad.id % 2 == 0 ? .null : .count(provider.id), "name": .string(pad.name),
      "info_url": .null, "wiki_url": wikiLink(pad), "map_url": mapLink(pad), "latitude": "\(pad.latitude)",
      "longitude": "\(pad.longitude)", "location": self.location(location),
    ])
    if isFull { value = value.adding(["description": .null]) }
    if version == .v220 { value = value.adding(["country_code": .string(location.country.alpha3)]) }
    value = value.adding([
      "map_image": picture("pad-\(pad.id)"), "total_launch_count": .count(Self.total(pad.id)),
    ])
    guard version == .v220 else { return value }
    return value.adding(["orbital_launch_attempt_count": .count(Self.total(pad.id))])
  }

  private func program(_ launch: LaunchState) -> [Value] {
    launch.mission.program.map { [program($0, launch.provider)] } ?? []
  }

  private func program(_ program: LaunchProgram, _ provider: LaunchProvider) -> Value {
    var value =
      Value.record([
        "id": .count(program.id), "url": link("program/\(program.id)"), "name": .string(program.name),
        "description": .string(program.description),
        "agencies": .array([
          .record([
            "id": .count(provider.id), "url": link("agencies/\(provider.id)"), "name": .string(provider.name),
            "type": .text(provider.kind),
          ])
        ]), "image_url": picture("program-\(program.id)"), "start_date": "2019-05-24T02:30:00Z",
        "end_date": .null, "info_url": .null, "wiki_url": .null,
      ])
    if version == .v220 {
      value = value.adding([
        "mission_patches": [], "type": .record(["id": 3, "name": "Communication Constellation"]),
      ])
    }
    return value
  }

  // MARK: - Details

  private func oldDetails(_ launch: LaunchState) -> KeyValuePairs<String, Value> {
    if version == .v200 { return ["infoURLs": .array(pages(launch)), "vidURLs": .array(videos(launch))] }
    return [
      "flightclub_url": .null, "r_spacex_api_id": .null, "updates": .array(updates(launch)),
      "infoURLs": .array(pages(launch)), "vidURLs": .array(videos(launch)),
      "timeline": .array(timeline(launch)), "pad_turnaround": turnaround(launch), "mission_patches": [],
    ]
  }
}
