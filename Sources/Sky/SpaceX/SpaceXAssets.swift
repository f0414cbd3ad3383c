// Rockets, pads, ships, people and the rest of the SpaceX API, as texts that are read when they are first asked for.
// Names of ships are invented.

import JSON

/// The collections beside launches, cores and payloads.
enum SpaceXAssets {
  /// A launch pad or landing place, and the clock of the place.
  struct Place: Sendable {
    let name, fullName, status, locality, region: String
    let latitude, longitude: Double
    /// `RTLS`, `ASDS`, or the time zone of a launch pad.
    let type: String
    /// Hours east of UTC in winter, and whether there is summer time; 0 for a landing place.
    let hoursEast: Int
    let hasSummer: Bool
  }

  static let launchpads = places(
    """
    CCSFS SLC 40|Cape Canaveral Space Force Station Space Launch Complex 40|active|Cape Canaveral|Florida|28.5618571|-80.577366|America/New_York|-5s
    KSC LC 39A|Kennedy Space Center Historic Launch Complex 39A|active|Cape Canaveral|Florida|28.6080585|-80.6039558|America/New_York|-5s
    VAFB SLC 4E|Vandenberg Space Force Base Space Launch Complex 4E|active|Vandenberg Space Force Base|California|34.632093|-120.610829|America/Los_Angeles|-8s
    Kwajalein Atoll|Kwajalein Atoll Omelek Island|retired|Omelek Island|Marshall Islands|9.0477206|167.7431292|Pacific/Kwajalein|12
    STLS|South Texas Launch Site|under construction|Boca Chica|Texas|25.9972641|-97.1560845|America/Chicago|-6s
    VAFB SLC 3W|Vandenberg Space Force Base Space Launch Complex 3W|retired|Vandenberg Space Force Base|California|34.6440904|-120.5931438|America/Los_Angeles|-8s
    """)

  static let landpads = places(
    """
    LZ-1|Landing Zone 1|active|Cape Canaveral|Florida|28.485833|-80.544444|RTLS
    LZ-2|Landing Zone 2|active|Cape Canaveral|Florida|28.485833|-80.544444|RTLS
    LZ-4|Landing Zone 4|active|Vandenberg Space Force Base|California|34.632989|-120.615167|RTLS
    OCISLY|Of Course I Still Love You|active|Long Beach|California|33.729186|-118.262015|ASDS
    JRTI|Just Read The Instructions|active|Port Canaveral|Florida|28.4104|-80.6188|ASDS
    ASOG|A Shortfall of Gravitas|active|Port Canaveral|Florida|28.408|-80.592|ASDS
    """)

  private static func places(_ table: String) -> [Place] {
    table.split(separator: "\n").map { row in
      let columns = row.split(separator: "|").map(String.init) + [""]
      return Place(
        name: columns[0], fullName: columns[1], status: columns[2], locality: columns[3], region: columns[4],
        latitude: Double(columns[5]) ?? 0, longitude: Double(columns[6]) ?? 0, type: columns[7],
        hoursEast: Int(columns[8].filter { $0 != "s" }) ?? 0, hasSummer: columns[8].hasSuffix("s"))
    }
  }

  static let ships = [
    "Amber Tern", "Go Harrier", "Grey Petrel", "Hollow Bay", "Long Reach", "Marjorie D", "North Sound",
    "Patient Gull", "Quarterdeck", "Sea Thistle", "Steadfast", "Windrow",
  ]
  /// A ship; its name, links and type are set for each.
  static let ship = value(
    #"""
    {"legacy_id":null,"model":null,"type":"High Speed Craft","roles":["Fairing Recovery"],"imo":null,"mmsi":366000000,\#
    "abs":null,"class":null,"mass_kg":449964,"mass_lbs":992000,"year_built":2009,"home_port":"Port Canaveral",\#
    "status":"","speed_kn":null,"course_deg":null,"latitude":null,"longitude":null,"last_ais_update":null,"link":null,\#
    "image":null,"name":"","active":true,"launches":[],"id":""}
    """#)

  /// A payload; what belongs to one launch is set for each.
  static let payload = value(
    #"""
    {"dragon":{"capsule":null,"mass_returned_kg":null,"mass_returned_lbs":null,"flight_time_sec":null,"manifest":null,\#
    "water_landing":null,"land_landing":null},"name":"","type":"Satellite","reused":false,"launch":"",\#
    "customers":["Orvika Group"],"norad_ids":[],"nationalities":["United States"],"manufacturers":["Halden Works"],\#
    "mass_kg":null,"mass_lbs":null,"orbit":"GTO","reference_system":"geocentric","regime":"geosynchronous",\#
    "longitude":null,"semi_major_axis_km":null,"eccentricity":null,"periapsis_km":null,"apoapsis_km":null,\#
    "inclination_deg":null,"period_min":null,"lifespan_years":null,"epoch":null,"mean_motion":null,"raan":null,\#
    "arg_of_pericenter":null,"mean_anomaly":null,"id":""}
    """#)

  static let dragons = value(
    #"""
    [{"name":"Dragon 1","type":"capsule","active":false,"crew_capacity":0,"first_flight":"2010-12-08",\#
    "orbit_duration_yr":2,"diameter":{"meters":3.7,"feet":12},"flickr_images":[],\#
    "description":"A capsule for freight.","id":""},\#
    {"name":"Dragon 2","type":"capsule","active":true,"crew_capacity":7,"first_flight":"2019-03-02",\#
    "orbit_duration_yr":2,"diameter":{"meters":3.7,"feet":12},"flickr_images":[],\#
    "description":"A capsule for freight and people.","id":""}]
    """#)

  static let company = value(
    #"""
    {"headquarters":{"address":"Rocket Road","city":"Hawthorne","state":"California"},\#
    "links":{"website":"https://www.spacex.com/"},"name":"SpaceX","founder":"Elon Musk","founded":2002,"vehicles":4,\#
    "launch_sites":3,"test_sites":3,\#
    "summary":"SpaceX designs, manufactures and launches rockets and spacecraft.","id":"5eb75edc42fea42237d7f3ed"}
    """#)

  static let roadster = value(
    #"""
    {"name":"A car in orbit around the Sun","launch_date_utc":"2018-02-06T20:45:00.000Z",\#
    "launch_date_unix":1517949900,"launch_mass_kg":1350,"orbit_type":"heliocentric","flickr_images":[],\#
    "id":"5eb75f0842fea42237d7f3f4"}
    """#)

  /// A text of ours as JSON; tests read all of them.
  static func value(_ text: String) -> Value { (try? Value.parse(text)) ?? .null }
}
