// What a flight carries.

import JSON

/// Writes payloads.
enum SpaceXPayload {
  static func value(_ news: SpaceXNews, part: Int, _ writer: SpaceXLaunch) -> Value {
    let flight = news.flight
    var random = SkyRandom(writer.seed, "payload", flight.number * 2 + part)
    let isCapsule = flight.capsule != nil && part == 0
    let orbit =
      switch flight.family {
      case .cargo, .crew: "ISS"
      case .constellation: "VLEO"
      case .rideshare: "SSO"
      case .demonstration: "LEO"
      case .satellite: random.happens(0.6) ? "GTO" : "PO"
      }
    let mass = random.happens(0.8) ? Int.random(in: 2...160, using: &random) * 100 : nil
    let isTracked = news.isTold && random.happens(0.7)
    let height = orbit == "GTO" ? 18_000.0 : Double(Int.random(in: 250...900, using: &random))
    func tracked(_ number: Double) -> Value { isTracked ? .number(number) : .null }
    let returned = isCapsule && news.isTold ? Int.random(in: 10...22, using: &random) * 100 : nil
    return .record([
      "dragon": .record([
        "capsule": isCapsule ? flight.capsule.map { writer.id("capsule", $0) } ?? .null : .null,
        "mass_returned_kg": .count(returned),
        "mass_returned_lbs": .count(returned.map { $0 * 22046 / 10000 }),
        "flight_time_sec": .null, "manifest": .null,
        "water_landing": .flag(isCapsule && news.isTold ? true : nil),
        "land_landing": .flag(isCapsule && news.isTold ? false : nil),
      ]),
      "name": .string(part == 0 ? flight.name : "\(flight.name) companion"),
      "type": .string(isCapsule ? (flight.family == .crew ? "Crew Dragon" : "Dragon 1.1") : "Satellite"),
      "reused": .bool(isCapsule && random.happens(0.5)), "launch": .string(writer.launchID(flight)),
      "customers": .array([
        .string(flight.family == .constellation ? "SpaceX" : isCapsule ? "NASA" : "Orvika Group")
      ]),
      "norad_ids": .array(isTracked ? [.number(Int.random(in: 30_000...53_000, using: &random))] : []),
      "nationalities": .array([.string("United States")]),
      "manufacturers": .array([
        .string(isCapsule || flight.family == .constellation ? "SpaceX" : "Halden Works")
      ]),
      "mass_kg": .count(mass), "mass_lbs": mass.map { .number(Double($0 * 22046) / 10000) } ?? .null,
      "orbit": .string(orbit), "reference_system": .string("geocentric"),
      "regime": .string(orbit == "GTO" ? "geosynchronous" : "low-earth"), "longitude": .null,
      "semi_major_axis_km": tracked(6371 + height), "eccentricity": tracked(orbit == "GTO" ? 0.72 : 0.0002),
      "periapsis_km": tracked(height - 4), "apoapsis_km": tracked(height + 4),
      "inclination_deg": tracked(orbit == "ISS" ? 51.64 : orbit == "SSO" ? 97.5 : 53.05),
      "period_min": tracked(orbit == "GTO" ? 630 : 84.4 + height * 0.021),
      "lifespan_years": flight.family == .satellite ? .number(15) : .null, "epoch": .null,
      "mean_motion": .null,
      "raan": .null, "arg_of_pericenter": .null, "mean_anomaly": .null,
      "id": writer.id("payload", flight.number * 2 + part),
    ])
  }
}
