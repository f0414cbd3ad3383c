/// Who launches.
public struct LaunchProvider: Sendable, Equatable {
  public let id: Int
  public let name: String
  public let abbreviation: String
  /// As in `Commercial`; nil where nobody has said.
  public let kind: String?
  public let country: LaunchCountry
  public let founded: Int
  /// How many of a hundred launches are its.
  let share: Double
  let rockets: [LaunchRocket]
  let pads: [LaunchPad]
  let series: [MissionSeries]
  /// Whether it shows its launches itself.
  let hasWebcasts: Bool
}

/// A country by its codes.
public struct LaunchCountry: Sendable, Equatable {
  public let id: Int
  public let name: String
  public let alpha2: String
  public let alpha3: String
  public let nationality: String
}

/// A kind of rocket.
public struct LaunchRocket: Sendable, Equatable {
  public let id: Int
  public let name: String
  public let family: String
  public let fullName: String
  public let variant: String
  public let isReusable: Bool
  /// In metres; nil where it is not known.
  public let length: Double?
  /// What it carries to a low orbit, in kilograms.
  public let capacity: Int?
  public let maidenFlight: String?
}

/// A place to launch from.
public struct LaunchPad: Sendable, Equatable {
  public let id: Int
  public let name: String
  public let latitude: Double
  public let longitude: Double
  public let location: LaunchLocation
}

/// A spaceport.
public struct LaunchLocation: Sendable, Equatable {
  public let id: Int
  public let name: String
  public let country: LaunchCountry
  public let timeZone: String
  public let latitude: Double
  public let longitude: Double
  /// Whether somebody says how likely the weather is to allow a launch.
  let hasForecasts: Bool
}

/// What a launch is for.
public struct LaunchMission: Sendable, Equatable {
  public let name: String
  public let kind: String
  public let description: String
  /// Nil where nobody has said.
  public let orbit: LaunchOrbit?
  public let isCrewed: Bool
  public let program: LaunchProgram?
  /// Whether the service has an entry for it at all.
  public let isKnown: Bool
}

/// An orbit by the numbers of the service.
public struct LaunchOrbit: Sendable, Equatable {
  public let id: Int
  public let name: String
  public let abbreviation: String
}

/// What several missions belong to.
public struct LaunchProgram: Sendable, Equatable {
  public let id: Int
  public let name: String
  public let description: String
}

/// Missions of one kind, which are numbered.
struct MissionSeries: Sendable, Equatable {
  let name: String
  let kind: String
  let orbit: LaunchOrbit
  let description: String
  var weight = 1.0
  var isCrewed = false
  var isSuborbital = false
  var program: LaunchProgram?
}
