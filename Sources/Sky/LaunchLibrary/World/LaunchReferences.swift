// What launches refer to: agencies, pads, rockets, programs and so on, each with a number.

/// A thing to which launches refer, with its number.
enum LaunchReference {
  case agency(LaunchProvider)
  /// With the first agency that launches from it.
  case pad(LaunchPad, LaunchProvider)
  case location(LaunchLocation)
  case rocket(LaunchRocket, LaunchProvider)
  case program(LaunchProgram, LaunchProvider)
  /// The reusable first stage of a launch.
  case launcher(LaunchState)

  enum Kind: CaseIterable { case agency, pad, location, rocket, program, launcher }

  var id: Int {
    switch self {
    case .agency(let provider): provider.id
    case .pad(let pad, _): pad.id
    case .location(let location): location.id
    case .rocket(let rocket, _): rocket.id
    case .program(let program, _): program.id
    case .launcher(let launch): 100 + launch.number
    }
  }

  /// All references of a kind, by number; the launchers are those of the given launches.
  static func all(_ kind: Kind, of launches: @autoclosure () -> [LaunchState]) -> [LaunchReference] {
    let providers = LaunchCatalog.providers
    let things: [LaunchReference] =
      switch kind {
      case .agency: providers.map { .agency($0) }
      case .pad: pads
      case .location:
        pads.compactMap { if case .pad(let pad, _) = $0 { .location(pad.location) } else { nil } }
      case .rocket: providers.flatMap { provider in provider.rockets.map { .rocket($0, provider) } }
      case .program:
        providers.flatMap { provider in provider.series.compactMap(\.program).map { .program($0, provider) } }
      case .launcher: launches().filter(\.rocket.isReusable).map { .launcher($0) }
      }
    var seen: Set<Int> = []
    return things.filter { seen.insert($0.id).inserted }.sorted { $0.id < $1.id }
  }

  /// All pads, placeholders included.
  private static var pads: [LaunchReference] {
    LaunchCatalog.providers.flatMap { provider in
      (provider.pads + provider.pads.map { LaunchCatalog.unknownPad(at: $0.location) }).map {
        .pad($0, provider)
      }
    }
  }
}

extension LaunchReference.Kind {
  /// Their folder in the paths of a version.
  func folder(_ version: LaunchShape.Version) -> String {
    let isNew = version == .v230
    return switch self {
    case .agency: "agencies"
    case .pad: isNew ? "pads" : "pad"
    case .location: isNew ? "locations" : "location"
    case .rocket: isNew ? "launcher_configurations" : "config/launcher"
    case .program: isNew ? "programs" : "program"
    case .launcher: isNew ? "launchers" : "launcher"
    }
  }
}

/// An agency that launches.
public struct LaunchProvider: Sendable, Equatable {
  public let id: Int
  public let name, abbreviation: String
  /// As in `Commercial`; nil if unknown.
  public let kind: String?
  public let country: LaunchCountry
  public let founded: Int
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
  public let name, alpha2, alpha3, nationality: String
}

/// A kind of rocket.
public struct LaunchRocket: Sendable, Equatable {
  public let id: Int
  public let name, family, fullName, variant: String
  public let isReusable: Bool
  /// In metres; nil if unknown.
  public let length: Double?
  /// The payload to low Earth orbit, in kilograms.
  public let capacity: Int?
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
  public let isCrewed: Bool
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
  var isCrewed = false
  var program: LaunchProgram?
}
