// Where rockets start and land.

import JSON

/// Launch pads and landing places, by their numbers.
enum SpaceXPads {
  enum Pad: Int, CaseIterable, Sendable {
    case canaveral, apollo, vandenberg, kwajalein, southTexas, vandenbergWest
  }

  struct Place: Sendable {
    var name: String
    var full: String
    var status: String
    var type: String?
    var locality: String
    var region: String
    var latitude: Double
    var longitude: Double
    var zone: String
    /// Of the clock in winter; whether it is put forward in summer.
    var hoursEast: Int
    var hasSummer: Bool
  }

  static func place(_ pad: Int) -> Place { launchpads[pad] }

  static let launchpads: [Place] = [
    .init(
      name: "CCSFS SLC 40", full: "Cape Canaveral Space Force Station Space Launch Complex 40",
      status: "active",
      type: nil, locality: "Cape Canaveral", region: "Florida", latitude: 28.5618571, longitude: -80.577366,
      zone: "America/New_York", hoursEast: -5, hasSummer: true),
    .init(
      name: "KSC LC 39A", full: "Kennedy Space Center Historic Launch Complex 39A", status: "active",
      type: nil,
      locality: "Cape Canaveral", region: "Florida", latitude: 28.6080585, longitude: -80.6039558,
      zone: "America/New_York", hoursEast: -5, hasSummer: true),
    .init(
      name: "VAFB SLC 4E", full: "Vandenberg Space Force Base Space Launch Complex 4E", status: "active",
      type: nil,
      locality: "Vandenberg Space Force Base", region: "California", latitude: 34.632093,
      longitude: -120.610829,
      zone: "America/Los_Angeles", hoursEast: -8, hasSummer: true),
    .init(
      name: "Kwajalein Atoll", full: "Kwajalein Atoll Omelek Island", status: "retired", type: nil,
      locality: "Omelek Island", region: "Marshall Islands", latitude: 9.0477206, longitude: 167.7431292,
      zone: "Pacific/Kwajalein", hoursEast: 12, hasSummer: false),
    .init(
      name: "STLS", full: "South Texas Launch Site", status: "under construction", type: nil,
      locality: "Boca Chica",
      region: "Texas", latitude: 25.9972641, longitude: -97.1560845, zone: "America/Chicago", hoursEast: -6,
      hasSummer: true),
    .init(
      name: "VAFB SLC 3W", full: "Vandenberg Space Force Base Space Launch Complex 3W", status: "retired",
      type: nil,
      locality: "Vandenberg Space Force Base", region: "California", latitude: 34.6440904,
      longitude: -120.5931438,
      zone: "America/Los_Angeles", hoursEast: -8, hasSummer: true),
  ]

  /// The numbers of the ships among the landing places.
  static let ships = [3, 4, 5]

  static func landingZone(for launchpad: Int, side: Int) -> Int {
    launchpad == Pad.vandenberg.rawValue ? 2 : side == 2 ? 1 : 0
  }

  static let landpads: [Place] = [
    landpad("LZ-1", "Landing Zone 1", "RTLS", "Cape Canaveral", "Florida", 28.485833, -80.544444),
    landpad("LZ-2", "Landing Zone 2", "RTLS", "Cape Canaveral", "Florida", 28.485833, -80.544444),
    landpad(
      "LZ-4", "Landing Zone 4", "RTLS", "Vandenberg Space Force Base", "California", 34.632989, -120.615167),
    landpad(
      "OCISLY", "Of Course I Still Love You", "ASDS", "Long Beach", "California", 33.729186, -118.262015),
    landpad("JRTI", "Just Read The Instructions", "ASDS", "Port Canaveral", "Florida", 28.4104, -80.6188),
    landpad("ASOG", "A Shortfall of Gravitas", "ASDS", "Port Canaveral", "Florida", 28.408, -80.592),
  ]

  private static func landpad(
    _ name: String, _ full: String, _ type: String, _ locality: String, _ region: String, _ latitude: Double,
    _ longitude: Double
  ) -> Place {
    Place(
      name: name, full: full, status: "active", type: type, locality: locality, region: region,
      latitude: latitude, longitude: longitude, zone: "", hoursEast: 0, hasSummer: false)
  }

  /// How many minutes the clock at a launch pad is east of UTC at a moment.
  static func minutesEast(of pad: Int, at time: SkyTime) -> Int {
    let place = launchpads[pad]
    let isSummer = place.hasSummer && time.isAmericanSummer(hoursWest: -place.hoursEast)
    return (place.hoursEast + (isSummer ? 1 : 0)) * 60
  }
}
