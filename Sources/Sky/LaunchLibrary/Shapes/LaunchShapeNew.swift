// Launches as JSON: version 2.3.0.

import JSON

/// Launches as 2.3.0 writes them.
extension LaunchShape {
  func writeNew(_ launch: LaunchState) -> Value {
    var body = head(launch)
    if mode == .list { return body.adding(["infographic": .null]) }
    body = body.adding([
      "infographic": .null, "probability": .count(launch.probability),
      "weather_concerns": .text(launch.weatherConcerns), "failreason": .string(launch.failReason),
      "hashtag": .null,
      "launch_service_provider": agency(launch.provider, mode == .detailed ? .normal : .list),
      "rocket": rocket(launch), "mission": mission(launch), "pad": pad(launch.pad),
      "webcast_live": .bool(launch.isWebcastLive), "program": .array(program(launch)),
    ])
    body = body.adding(attempts(launch))
    return mode == .detailed ? body.adding(details(launch)) : body
  }

  private func head(_ launch: LaunchState) -> Value {
    .record([
      "id": .string(launch.id), "url": link("launches/\(launch.id)"), "name": .string(launch.name),
      "response_mode": .string(mode.rawValue), "slug": .string(launch.slug),
      "launch_designator": .text(launch.designator), "status": version.value(of: status(launch)),
      "last_updated": .moment(launch.lastUpdated), "net": .moment(launch.net),
      "net_precision": launch.precision.value, "window_end": .moment(launch.windowEnd),
      "window_start": .moment(launch.windowStart), "image": image(of: launch.rocket, launch.picture),
    ])
  }

  /// A reference by itself.
  func writeNew(_ thing: LaunchReference) -> Value {
    switch thing {
    case .agency(let provider): agency(provider, .normal)
    case .pad(let pad, _): self.pad(pad)
    case .location(let location): self.location(location)
    case .rocket(let rocket, let provider): configuration(of: rocket, 0, provider)
    case .program(let program, let provider): self.program(program, provider)
    case .launcher(let launch): launcher(launch)
    }
  }

  private func image(of rocket: LaunchRocket, _ picture: Int) -> Value {
    // A rocket that has not flown has no picture at first.
    if rocket.maidenFlight == nil, picture == 0 { return .null }
    return image(rocket.id * 10 + picture, rocket.fullName, pictureName(of: rocket, picture))
  }

  private func image(_ id: Int, _ name: String, _ file: String) -> Value {
    .record([
      "id": .count(id), "name": "[AUTO] \(name) - image", "image_url": picture(file),
      "thumbnail_url": picture("\(file)-thumbnail"), "credit": .null,
      "license": .record([
        "id": 1, "name": "Unknown", "priority": 9, "link": .null,
      ]),
      "single_use": false, "variants": [],
    ])
  }

  // MARK: - Parts

  private func country(_ country: LaunchCountry) -> Value {
    .record([
      "id": .count(country.id), "name": .string(country.name), "alpha_2_code": .string(country.alpha2),
      "alpha_3_code": .string(country.alpha3), "nationality_name": .string(country.nationality),
      "nationality_name_composed": .string(country.nationality),
    ])
  }

  private static func kindNumber(_ kind: String) -> Int {
    switch kind {
    case "Government": 1
    case "Multinational": 2
    default: 3
    }
  }

  private func agency(_ provider: LaunchProvider, _ mode: Mode) -> Value {
    let short = Value.record([
      "response_mode": .string(mode.rawValue), "id": .count(provider.id),
      "url": link("agencies/\(provider.id)"),
      "name": .string(provider.name), "abbrev": .string(provider.abbreviation),
      "type": provider.kind.map { .record(["id": .count(Self.kindNumber($0)), "name": .string($0)]) }
        ?? .null,
    ])
    if mode == .list { return short }
    let record = Self.record(provider.id, pending: Int(provider.share * 3))
    return short.adding([
      "featured": .bool(provider.share >= 4), "country": .array([country(provider.country)]),
      "description": "\(provider.name), in a sky that is simulated.", "administrator": .null,
      "founding_year": .count(provider.founded),
      "launchers": .string(provider.rockets.map(\.name).joined(separator: " | ")), "spacecraft": "",
      "parent": .null, "image": .null, "logo": image(provider.id, provider.name, "agency-\(provider.id)"),
      "social_logo": .null,
    ]).adding(record).adding([
      "successful_landings_spacecraft": 0, "failed_landings_spacecraft": 0,
      "attempted_landings_spacecraft": 0, "successful_landings_payload": 0, "failed_landings_payload": 0,
      "attempted_landings_payload": 0, "info_url": "", "wiki_url": .null, "social_media_links": [],
    ])
  }

  private func rocket(_ launch: LaunchState) -> Value {
    let rocket = Value.record([
      "id": .count(8000 + launch.number),
      "configuration": configuration(of: launch.rocket, launch.picture, launch.provider),
    ])
    guard mode == .detailed else { return rocket }
    return rocket.adding([
      "launcher_stage": .array(stages(launch)), "spacecraft_stage": [], "payloads": [],
    ])
  }

  private func configuration(of rocket: LaunchRocket, _ picture: Int, _ provider: LaunchProvider) -> Value {
    var family = Value.record([
      "response_mode": .string(mode == .detailed ? "detailed" : "list"), "id": .count(rocket.id + 5000),
      "name": .string(rocket.family),
    ])
    let configuration = Value.record([
      "response_mode": .string(mode == .detailed ? "detailed" : "list"), "id": .count(rocket.id),
      "url": link("launcher_configurations/\(rocket.id)"), "name": .string(rocket.name),
      "families": .array([family]), "full_name": .string(rocket.fullName), "variant": .string(rocket.variant),
    ])
    guard mode == .detailed else { return configuration }
    family = family.adding([
      "manufacturer": .array([agency(provider, .normal)]), "parent": .null, "description": "",
      "active": true, "maiden_flight": .text(rocket.maidenFlight),
    ]).adding(Self.record(rocket.id + 5000, pending: 12))
    return configuration.adding([
      "families": .array([family]), "active": true, "is_placeholder": false,
      "manufacturer": agency(provider, .normal), "program": [], "reusable": .bool(rocket.isReusable),
      "image": image(of: rocket, picture), "info_url": .null, "wiki_url": .null, "description": "A rocket.",
      "alias": "", "min_stage": 2, "max_stage": 2, "length": rocket.length.map { .number($0) } ?? .null,
      "diameter": .null, "maiden_flight": .text(rocket.maidenFlight), "launch_cost": .null,
      "launch_mass": .null, "leo_capacity": .count(rocket.capacity), "gto_capacity": .null,
      "geo_capacity": .null, "sso_capacity": .null, "to_thrust": .null, "apogee": .null,
    ]).adding(Self.record(rocket.id, pending: 12)).adding(["fastest_turnaround": "P4DT7H12M5S"])
  }

  private func mission(_ launch: LaunchState) -> Value {
    let mission = launch.mission
    guard mission.isKnown else { return .null }
    let orbit = mission.orbit.map { orbit in
      Value.record([
        "id": .count(orbit.id), "name": .string(orbit.name), "abbrev": .string(orbit.abbreviation),
        "celestial_body": .record([
          "response_mode": "list", "id": 1, "name": "Earth",
        ]),
      ])
    }
    return .record([
      "id": .count(6000 + launch.number), "name": .string(mission.name), "type": .string(mission.kind),
      "description": .string(mission.description), "image": .null, "orbit": orbit ?? .null,
      "agencies": [], "info_urls": [], "vid_urls": [],
    ])
  }

  private func pad(_ pad: LaunchPad) -> Value {
    .record([
      "id": .count(pad.id), "url": link("pads/\(pad.id)"), "active": true, "agencies": [],
      "name": .string(pad.name), "image": .null, "description": .null, "info_url": .null,
      "wiki_url": wikiLink(pad), "map_url": mapLink(pad), "latitude": .number(pad.latitude),
      "longitude": .number(pad.longitude), "country": country(pad.location.country),
      "map_image": picture("pad-\(pad.id)"), "total_launch_count": .count(Self.total(pad.id)),
      "orbital_launch_attempt_count": .count(Self.total(pad.id)),
      "fastest_turnaround": "P3DT18H16M56S", "location": location(pad.location),
    ])
  }

  private func location(_ location: LaunchLocation) -> Value {
    .record([
      "response_mode": "normal", "id": .count(location.id), "url": link("locations/\(location.id)"),
      "name": .string(location.name), "celestial_body": earth, "active": true,
      "country": country(location.country), "description": .null, "image": .null,
      "map_image": picture("location-\(location.id)"), "longitude": .number(location.longitude),
      "latitude": .number(location.latitude), "timezone_name": .string(location.timeZone),
      "total_launch_count": .count(Self.total(location.id)), "total_landing_count": 0,
    ])
  }

  private var earth: Value {
    .record([
      "response_mode": "normal", "id": 1, "name": "Earth", "type": .record(["id": 1, "name": "Planet"]),
      "diameter": 12_742_000, "mass": .number(5.972168e24), "gravity": 9.80655, "length_of_day": "1 00:00:00",
      "atmosphere": true, "image": .null, "description": "Where all rockets here start from.",
      "wiki_url": .null, "total_attempted_launches": 7200, "successful_launches": 6700,
      "failed_launches": 500, "total_attempted_landings": 1200, "successful_landings": 1150,
      "failed_landings": 50,
    ])
  }

  private func program(_ launch: LaunchState) -> [Value] {
    launch.mission.program.map { [program($0, launch.provider)] } ?? []
  }

  private func program(_ program: LaunchProgram, _ provider: LaunchProvider) -> Value {
    .record([
      "response_mode": "normal", "id": .count(program.id), "url": link("programs/\(program.id)"),
      "name": .string(program.name), "image": image(program.id, program.name, "program-\(program.id)"),
      "info_url": .null, "wiki_url": .null, "description": .string(program.description),
      "agencies": .array([agency(provider, .list)]), "start_date": "2019-05-24T02:30:00Z", "end_date": .null,
      "mission_patches": [], "type": .record(["id": 3, "name": "Communication Constellation"]),
    ])
  }

  // MARK: - Details

  private func details(_ launch: LaunchState) -> KeyValuePairs<String, Value> {
    [
      "flightclub_url": .null, "updates": .array(updates(launch)), "info_urls": .array(pages(launch)),
      "vid_urls": .array(videos(launch)), "timeline": .array(timeline(launch)),
      "pad_turnaround": turnaround(launch), "mission_patches": [],
    ]
  }
}
