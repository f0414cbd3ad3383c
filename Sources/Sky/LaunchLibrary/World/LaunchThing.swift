/// What launches have in common and link to, each by its number.
enum LaunchThing {
  case agency(LaunchProvider)
  /// With the first who launches from it.
  case pad(LaunchPad, LaunchProvider)
  case location(LaunchLocation)
  case rocket(LaunchRocket, LaunchProvider)
  case program(LaunchProgram, LaunchProvider)
  /// The first stage of a launch, which comes back.
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

  /// All of a kind, by their numbers; of launchers those of some launches.
  static func all(_ kind: Kind, of launches: @autoclosure () -> [LaunchState]) -> [LaunchThing] {
    let providers = LaunchCatalog.providers
    let things: [LaunchThing] =
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

  /// Those that nobody has told yet too.
  private static var pads: [LaunchThing] {
    LaunchCatalog.providers.flatMap { provider in
      (provider.pads + provider.pads.map { LaunchPlaces.unknownPad(at: $0.location) }).map {
        .pad($0, provider)
      }
    }
  }
}

extension LaunchThing.Kind {
  /// What they are called in the paths of a version.
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
