/// The agencies with their rockets, pads and missions, and the places, as the table has them.
enum LaunchCatalog {
  static let latticeID = 801

  /// The placeholder for a pad that is not known yet.
  static func unknownPad(at location: LaunchLocation) -> LaunchPad {
    LaunchPad(
      id: 9000 + location.id, name: "Unknown Pad", latitude: location.latitude, longitude: location.longitude,
      location: location)
  }

  static let providers: [LaunchProvider] = {
    var countries: [String: LaunchCountry] = [:]
    var locations: [String: LaunchLocation] = [:]
    var orbits: [String: LaunchOrbit] = [:]
    var programs: [String: LaunchProgram] = [:]
    var agencies: [LaunchProvider] = []
    for columns in SkyData.rows(PackageResources.agencies_txt) {
      func integer(_ column: Int) -> Int { Int(columns[column]) ?? 0 }
      func number(_ column: Int) -> Double { Double(columns[column]) ?? 0 }
      let last = agencies.indices.last ?? 0
      switch columns[0] {
      case "country":
        countries[columns[1]] = LaunchCountry(
          id: integer(3), name: columns[4], alpha2: columns[1], alpha3: columns[2])
      case "location":
        locations[columns[1]] = countries[columns[3]].map {
          LaunchLocation(
            id: integer(1), name: columns[2], country: $0, timeZone: columns[4], latitude: number(5),
            longitude: number(6), hasForecasts: columns[7] == "forecasts")
        }
      case "orbit":
        orbits[columns[1]] = LaunchOrbit(id: integer(2), name: columns[3], abbreviation: columns[1])
      case "program":
        programs[columns[1]] = LaunchProgram(id: integer(1), name: columns[2], description: columns[3])
      case "agency":
        guard let country = countries[columns[5]] else { continue }
        agencies.append(
          LaunchProvider(
            id: integer(1), name: columns[2], abbreviation: columns[3],
            kind: columns[4].isEmpty ? nil : columns[4],
            country: country, share: number(6), hasWebcasts: columns[7] == "webcasts"))
      case "rocket":
        agencies[last].rockets.append(
          LaunchRocket(
            id: integer(1), name: columns[2], family: columns[3], fullName: columns[4], variant: columns[5],
            maidenFlight: columns[6].isEmpty ? nil : columns[6]))
      case "pad":
        guard let location = locations[columns[5]] else { continue }
        agencies[last].pads.append(
          LaunchPad(
            id: integer(1), name: columns[2], latitude: number(3), longitude: number(4), location: location))
      default:
        guard let orbit = orbits[columns[3]] else { continue }
        agencies[last].series.append(
          MissionSeries(
            name: columns[1], kind: columns[2], orbit: orbit, description: columns[6], weight: number(4),
            program: programs[columns[5]]))
      }
    }
    return agencies
  }()
}
