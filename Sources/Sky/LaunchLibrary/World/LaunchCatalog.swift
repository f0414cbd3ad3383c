// The agencies with their rockets, pads and missions, and the places, as a table that is read once.
//
// Some names are those of real companies, since filters are written with them; what they launch here is invented.
// Coordinates are real, but for the invented places. A rocket, a pad or a series of missions belongs to the agency above it:
//   country  | code | three letters | id | name | nationality
//   location | id | name | country | time zone | latitude | longitude | forecasts of the weather
//   orbit    | abbreviation | id | name
//   program  | id | name | description
//   agency   | id | name | abbreviation | kind | country | founded | share of all launches in per cent | own webcasts
//   rocket   | id | name | family | full name | variant | reusable | metres | kilograms to low orbit | first flight
//   pad      | id | name | latitude | longitude | location
//   series   | name | kind | orbit | weight | program | crewed | description

enum LaunchCatalog {
  static let latticeID = 801
  static let suborbitalID = 15

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
    for row in table.split(separator: "\n") {
      let columns = row.split(separator: "|", omittingEmptySubsequences: false).map(String.init)
      func integer(_ column: Int) -> Int { Int(columns[column]) ?? 0 }
      func number(_ column: Int) -> Double { Double(columns[column]) ?? 0 }
      let last = agencies.indices.last ?? 0
      switch columns[0] {
      case "country":
        countries[columns[1]] = LaunchCountry(
          id: integer(3), name: columns[4], alpha2: columns[1], alpha3: columns[2], nationality: columns[5])
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
            country: country, founded: integer(6), share: number(7), hasWebcasts: columns[8] == "webcasts"))
      case "rocket":
        agencies[last].rockets.append(
          LaunchRocket(
            id: integer(1), name: columns[2], family: columns[3], fullName: columns[4], variant: columns[5],
            isReusable: columns[6] == "reusable", length: Double(columns[7]), capacity: Int(columns[8]),
            maidenFlight: columns[9].isEmpty ? nil : columns[9]))
      case "pad":
        guard let location = locations[columns[5]] else { continue }
        agencies[last].pads.append(
          LaunchPad(
            id: integer(1), name: columns[2], latitude: number(3), longitude: number(4), location: location))
      default:
        guard let orbit = orbits[columns[3]] else { continue }
        agencies[last].series.append(
          MissionSeries(
            name: columns[1], kind: columns[2], orbit: orbit, description: columns[7], weight: number(4),
            isCrewed: columns[6] == "crewed", program: programs[columns[5]]))
      }
    }
    return agencies
  }()

  private static let table = """
    country|US|USA|2|United States of America|American
    country|CN|CHN|1|China|Chinese
    country|RU|RUS|5|Russia|Russian
    country|KZ|KAZ|44|Kazakhstan|Kazakh
    country|NZ|NZL|9|New Zealand|New Zealander
    country|FR|FRA|3|France|French
    country|GF|GUF|45|French Guiana|French Guianese
    country|IN|IND|7|India|Indian
    country|JP|JPN|6|Japan|Japanese
    country|NO|NOR|33|Norway|Norwegian
    location|11|Vandenberg SFB, CA, USA|US|America/Los_Angeles|34.742|-120.572|forecasts
    location|12|Cape Canaveral SFS, FL, USA|US|America/New_York|28.488|-80.577|forecasts
    location|27|Kennedy Space Center, FL, USA|US|America/New_York|28.524|-80.651|forecasts
    location|143|SpaceX Starbase, TX, USA|US|America/Chicago|25.997|-97.155|none
    location|10|Mahia Peninsula, New Zealand|NZ|Pacific/Auckland|-39.262|177.865|none
    location|13|Guiana Space Centre, French Guiana|GF|America/Cayenne|5.236|-52.775|none
    location|17|Jiuquan Satellite Launch Center, People's Republic of China|CN|Asia/Shanghai|40.958|100.291|none
    location|16|Xichang Satellite Launch Center, People's Republic of China|CN|Asia/Shanghai|28.246|102.027|none
    location|15|Baikonur Cosmodrome, Republic of Kazakhstan|KZ|Asia/Qyzylorda|45.965|63.305|none
    location|14|Satish Dhawan Space Centre, India|IN|Asia/Kolkata|13.72|80.23|none
    location|26|Tanegashima Space Center, Japan|JP|Asia/Tokyo|30.375|130.957|none
    location|901|Nordholm Spaceport, Norway|NO|Europe/Oslo|69.11|15.59|forecasts
    orbit|LEO|8|Low Earth Orbit
    orbit|SSO|17|Sun-Synchronous Orbit
    orbit|GTO|2|Geostationary Transfer Orbit
    orbit|MEO|12|Medium Earth Orbit
    orbit|PO|13|Polar Orbit
    orbit|N/A|25|Unknown
    orbit|Sub|15|Suborbital
    program|801|Lattice|A constellation of relay satellites in low orbits, flown in batches.
    program|802|Harbour Station|A station in low orbit, its crews and its supplies.
    agency|121|SpaceX|SpX|Commercial|US|2002|50|webcasts
    rocket|164|Falcon 9|Falcon|Falcon 9 Block 5|Block 5|reusable|70|22800|2018-05-11
    rocket|161|Falcon Heavy|Falcon|Falcon Heavy|Heavy|reusable|70|63800|2018-02-06
    rocket|464|Starship|Starship|Starship V3|V3|reusable|124|100000|
    pad|80|Space Launch Complex 40|28.562|-80.577|12
    pad|16|Space Launch Complex 4E|34.632|-120.611|11
    pad|87|Launch Complex 39A|28.608|-80.604|27
    pad|188|Orbital Launch Mount A|25.996|-97.154|143
    series|Lattice Group|Communications|LEO|6|801||A batch of relay satellites for the Lattice constellation.
    series|Harbour Resupply|Resupply|LEO|1|802||Food, spare parts and experiments for the crew of Harbour Station.
    series|Harbour Crew|Human Exploration|LEO|0.5|802|crewed|Four people for half a year on Harbour Station.
    series|Carpool|Dedicated Rideshare|SSO|1|||Dozens of small satellites of many owners share one ride.
    series|Amberline|Communications|GTO|1|||A broadcasting satellite for a place over the equator.
    agency|88|China Aerospace Science and Technology Corporation|CASC|Government|CN|1999|18|none
    rocket|68|Long March 2D|Long March|Long March 2D|2D||41|3500|1992-08-09
    rocket|75|Long March 3B|Long March|Long March 3B/E|3B/E||56|11500|1996-02-14
    pad|22|Launch Area 94 (SLS-2)|40.958|100.291|17
    pad|8|Launch Complex 2 (LC-2)|28.246|102.027|16
    series|Cloud Mirror|Earth Science|SSO|2|||A satellite that watches clouds and rain.
    series|Unknown Payload|Unknown|N/A|1|||Details TBD.
    agency|147|Rocket Lab|RL|Commercial|US|2006|8|webcasts
    rocket|26|Electron|Electron|Electron|||18|300|2017-05-25
    pad|65|Rocket Lab Launch Complex 1A|-39.261|177.865|10
    pad|166|Rocket Lab Launch Complex 1B|-39.262|177.866|10
    series|Needle In A Skystack|Earth Science|SSO|1|||One small radar satellite.
    series|Hop Hop|Test Flight|Sub|0.4|||A short flight to test something fast.
    agency|124|United Launch Alliance|ULA|Commercial|US|2006|6|webcasts
    rocket|200|Vulcan|Vulcan|Vulcan|||62|27200|2024-01-08
    rocket|201|Atlas V|Atlas|Atlas V 551|551||62|18850|2006-01-19
    pad|29|Space Launch Complex 41|28.583|-80.583|12
    pad|11|Space Launch Complex 3E|34.64|-120.59|11
    series|Sentry|Government/Top Secret|N/A|2|||A payload of which nothing is told.
    series|Compass III|Navigation|MEO|1|||A satellite that tells others where they are.
    agency|141|Blue Origin|BO|Commercial|US|2000|4|webcasts
    rocket|480|New Glenn|New Glenn|New Glenn||reusable|98|45000|2025-01-16
    pad|174|Launch Complex 36A|28.47|-80.538|12
    series|Lantern|Communications|LEO|1|||A batch of satellites that carry phone calls.
    agency|115|Arianespace|ASA|Commercial|FR|1980|4|webcasts
    rocket|171|Ariane 64|Ariane|Ariane 64|64||60|21600|
    pad|178|Ariane Launch Area 4|5.256|-52.79|13
    series|Sextant FOC|Navigation|MEO|1|||Two satellites for Europe's navigation.
    series|Tidewatch|Earth Science|PO|1|||It measures the height of the seas to a centimetre.
    agency|63|Russian Federal Space Agency (ROSCOSMOS)|RFSA|Government|RU|1992|4|none
    rocket|24|Soyuz 2.1a|Soyuz|Soyuz 2.1a|2.1a||46|7020|2004-11-08
    pad|20|31/6|45.996|63.564|15
    series|Zarnitsa M|Resupply|LEO|1|802||Supplies for a station.
    agency|31|Indian Space Research Organization|ISRO|Government|IN|1969|2|webcasts
    rocket|73|PSLV|PSLV|PSLV-XL|XL||44|3800|2008-10-22
    pad|14|First Launch Pad|13.733|80.235|14
    series|Monsoon Eye|Earth Science|SSO|1|||Pictures of fields and rivers.
    agency|98|Mitsubishi Heavy Industries|MHI|Commercial|JP|1884|2|webcasts
    rocket|205|H3|H3|H3-24|24||63|16000|2023-03-07
    pad|33|Yoshinobu Launch Complex LP-2|30.401|130.976|26
    series|Kestrel|Government/Top Secret|N/A|1|||Details TBD.
    agency|1901|Halcyon Launch|HAL||NO|2019|2|none
    rocket|901|Petrel|Petrel|Petrel 2|2||28||
    pad|901|Pad 1|69.112|15.588|901
    series|First Light|Test Flight|PO|1|||A first try of a new rocket.
    """
}
