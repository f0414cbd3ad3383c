// Ships, people, dragons and the company: a handful of each, invented where they are not the service's own.

import JSON

/// The small collections.
struct SpaceXSmallThings {
  let seed: UInt64
  let origin: String
  /// The ids of launches that a thing was part of.
  let launches: (_ collection: String, _ id: String) -> [Value]

  static let ships = [
    "Amber Tern", "Go Harrier", "Grey Petrel", "Hollow Bay", "Long Reach", "Marjorie D", "North Sound",
    "Patient Gull",
    "Quarterdeck", "Sea Thistle", "Steadfast", "Windrow",
  ]
  /// How many people there are.
  static let people = 24

  var shipEntries: [Value] {
    Self.ships.enumerated().map { number, name in
      var random = SkyRandom(seed, "ship", number)
      let id = SpaceXID.id(seed, "ship", number)
      let mass = Int.random(in: 120...900, using: &random) * 1000
      let isActive = random.happens(0.7)
      let legacy = name.uppercased().filter { $0 != " " }
      return .record([
        "legacy_id": .string(legacy), "model": .null,
        "type": .string(number % 3 == 0 ? "Tug" : "High Speed Craft"),
        "roles": .array([.string(number % 3 == 0 ? "Support Ship" : "Fairing Recovery")]), "imo": .null,
        "mmsi": .number(Int.random(in: 366_000_000...368_999_999, using: &random)), "abs": .null,
        "class": .null,
        "mass_kg": .number(mass), "mass_lbs": .number(Double(mass * 22046 / 10000)),
        "year_built": .count(random.happens(0.7) ? Int.random(in: 1985...2019, using: &random) : nil),
        "home_port": .string(number % 4 == 0 ? "Port of Los Angeles" : "Port Canaveral"),
        "status": .string(""),
        "speed_kn": .null, "course_deg": .null, "latitude": .null, "longitude": .null,
        "last_ais_update": .null,
        "link": .null, "image": .string("\(origin)/pictures/photos/ship-\(number).png"),
        "name": .string(name),
        "active": .bool(isActive), "launches": .array(launches("ships", id)), "id": .string(id),
      ])
    }
  }

  var crewEntries: [Value] {
    (0..<Self.people).map { number in
      let id = SpaceXID.id(seed, "crew", number)
      let first = APODWords.firstNames[(number * 7) % APODWords.firstNames.count]
      let last = APODWords.lastNames[(number * 5) % APODWords.lastNames.count]
      return .record([
        "name": .string("\(first) \(last)"),
        "agency": .string(["NASA", "JAXA", "ESA", "SpaceX"][number % 4]),
        "image": .string("\(origin)/pictures/photos/person-\(number).png"),
        "wikipedia": .string("https://encyclopedia.example/wiki/person-\(number)"),
        "launches": .array(launches("crew", id)), "status": .string("active"), "id": .string(id),
      ])
    }
  }

  func capsuleEntries(_ count: Int) -> [Value] {
    (0..<count).map { number in
      let id = SpaceXID.id(seed, "capsule", number)
      let flights = launches("capsules", id)
      let isNew = number > 11
      return .record([
        "reuse_count": .number(max(0, flights.count - 1)), "water_landings": .number(flights.count),
        "land_landings": .number(0),
        "last_update": flights.isEmpty ? .null : .string("Splashed down as planned"),
        "launches": .array(flights), "serial": .string("C\(isNew ? 200 + number - 11 : 101 + number)"),
        "status": .string(isNew ? "active" : "retired"), "type": .string(isNew ? "Dragon 2.0" : "Dragon 1.0"),
        "dragon": .string(SpaceXID.id(seed, "dragon", isNew ? 1 : 0)), "id": .string(id),
      ])
    }
  }

  var dragonEntries: [Value] {
    [("Dragon 1", false, 0, "2010-12-08"), ("Dragon 2", true, 7, "2019-03-02")].enumerated().map {
      number, dragon in
      .record([
        "name": .string(dragon.0), "type": .string("capsule"), "active": .bool(dragon.1),
        "crew_capacity": .number(dragon.2), "first_flight": .string(dragon.3),
        "orbit_duration_yr": .number(2),
        "diameter": .record(["meters": .number(3.7), "feet": .number(12)]),
        "flickr_images": .array([.string("\(origin)/pictures/photos/dragon-\(number + 1).png")]),
        "description": .string("A capsule for freight\(dragon.2 > 0 ? " and people" : "")."),
        "id": .string(SpaceXID.id(seed, "dragon", number)),
      ])
    }
  }

  var company: Value {
    .record([
      "headquarters": .record([
        "address": .string("Rocket Road"), "city": .string("Hawthorne"), "state": .string("California"),
      ]),
      "links": .record(["website": .string("https://www.spacex.com/")]), "name": .string("SpaceX"),
      "founder": .string("Elon Musk"), "founded": .number(2002), "vehicles": .number(4),
      "launch_sites": .number(3),
      "test_sites": .number(3),
      "summary": .string("SpaceX designs, manufactures and launches rockets and spacecraft."),
      "id": .string(SpaceXID.id(seed, "company", 0)),
    ])
  }

  var roadster: Value {
    .record([
      "name": .string("A car in orbit around the Sun"),
      "launch_date_utc": .string("2018-02-06T20:45:00.000Z"),
      "launch_date_unix": .number(1_517_949_900), "launch_mass_kg": .number(1350),
      "orbit_type": .string("heliocentric"),
      "flickr_images": .array([.string("\(origin)/pictures/photos/roadster-1.png")]),
      "id": .string(SpaceXID.id(seed, "roadster", 0)),
    ])
  }
}
