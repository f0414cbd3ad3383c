// What launches refer to: agencies, rockets, pads, missions and so on, each with the number of the service.

/// An agency that launches.
public struct LaunchProvider: Sendable, Equatable {
  public let id: Int
  public let name, abbreviation: String
  /// As in `Commercial`; nil if unknown.
  public let kind: String?
  public let country: LaunchCountry
  /// Its share of all launches, in per cent.
  let share: Double
  var rockets: [LaunchRocket] = []
  var pads: [LaunchPad] = []
  var series: [MissionSeries] = []
  /// Whether it has webcasts of its own.
  let hasWebcasts: Bool
}

/// A country and its codes.
public struct LaunchCountry: Sendable, Equatable {
  public let id: Int
  public let name, alpha2, alpha3: String
}

/// A kind of rocket.
public struct LaunchRocket: Sendable, Equatable {
  public let id: Int
  public let name, family, fullName, variant: String
  public let maidenFlight: String?
}

/// A launch pad.
public struct LaunchPad: Sendable, Equatable {
  public let id: Int
  public let name: String
  public let latitude, longitude: Double
  public let location: LaunchLocation
}

/// A spaceport.
public struct LaunchLocation: Sendable, Equatable {
  public let id: Int
  public let name: String
  public let country: LaunchCountry
  public let timeZone: String
  public let latitude, longitude: Double
  /// Whether it has weather forecasts.
  let hasForecasts: Bool
}

/// The mission of a launch.
public struct LaunchMission: Sendable, Equatable {
  public let name, kind, description: String
  /// Nil if unknown.
  public let orbit: LaunchOrbit?
  public let program: LaunchProgram?
  /// Whether the service has an entry for it.
  public let isKnown: Bool
}

/// An orbit, with the numbers of the service.
public struct LaunchOrbit: Sendable, Equatable {
  public let id: Int
  public let name, abbreviation: String
}

/// A program of several missions.
public struct LaunchProgram: Sendable, Equatable {
  public let id: Int
  public let name, description: String
}

/// Numbered missions of one kind.
struct MissionSeries: Sendable, Equatable {
  let name, kind: String
  let orbit: LaunchOrbit
  let description: String
  var weight = 1.0
  var program: LaunchProgram?
}
