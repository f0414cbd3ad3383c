/// Who launches what from where.
///
/// Some of the names are those of real companies, since filters are written with them;
/// what they launch here is made up.
enum LaunchCatalog {
  static let lowEarth = LaunchOrbit(id: 8, name: "Low Earth Orbit", abbreviation: "LEO")
  static let sunSynchronous = LaunchOrbit(id: 17, name: "Sun-Synchronous Orbit", abbreviation: "SSO")
  static let transfer = LaunchOrbit(id: 2, name: "Geostationary Transfer Orbit", abbreviation: "GTO")
  static let mediumEarth = LaunchOrbit(id: 12, name: "Medium Earth Orbit", abbreviation: "MEO")
  static let polar = LaunchOrbit(id: 13, name: "Polar Orbit", abbreviation: "PO")
  static let unknown = LaunchOrbit(id: 25, name: "Unknown", abbreviation: "N/A")
  static let suborbital = LaunchOrbit(id: 15, name: "Suborbital", abbreviation: "Sub")

  static let lattice = LaunchProgram(
    id: 801, name: "Lattice",
    description: "A constellation of relay satellites in low orbits, flown in batches.")
  static let harbour = LaunchProgram(
    id: 802, name: "Harbour Station", description: "A station in low orbit, its crews and its supplies.")

  static let providers: [LaunchProvider] = [
    LaunchProvider(
      id: 121, name: "SpaceX", abbreviation: "SpX", kind: "Commercial", country: LaunchPlaces.states,
      founded: 2002, share: 50,
      rockets: [
        rocket(
          164, "Falcon 9", "Falcon", "Falcon 9 Block 5", "Block 5", reusable: true, 70, 22800, "2018-05-11"),
        rocket(
          161, "Falcon Heavy", "Falcon", "Falcon Heavy", "Heavy", reusable: true, 70, 63800, "2018-02-06"),
        rocket(464, "Starship", "Starship", "Starship V3", "V3", reusable: true, 124, 100_000, nil),
      ],
      pads: [
        LaunchPlaces.pad(80, "Space Launch Complex 40", 28.562, -80.577, LaunchPlaces.canaveral),
        LaunchPlaces.pad(16, "Space Launch Complex 4E", 34.632, -120.611, LaunchPlaces.vandenberg),
        LaunchPlaces.pad(87, "Launch Complex 39A", 28.608, -80.604, LaunchPlaces.kennedy),
        LaunchPlaces.pad(188, "Orbital Launch Mount A", 25.996, -97.154, LaunchPlaces.starbase),
      ],
      series: [
        MissionSeries(
          name: "Lattice Group", kind: "Communications", orbit: lowEarth,
          description: "A batch of relay satellites for the Lattice constellation.", weight: 6,
          program: lattice),
        MissionSeries(
          name: "Harbour Resupply", kind: "Resupply", orbit: lowEarth,
          description: "Food, spare parts and experiments for the crew of Harbour Station.", program: harbour),
        MissionSeries(
          name: "Harbour Crew", kind: "Human Exploration", orbit: lowEarth,
          description: "Four people for half a year on Harbour Station.", weight: 0.5, isCrewed: true,
          program: harbour),
        MissionSeries(
          name: "Carpool", kind: "Dedicated Rideshare", orbit: sunSynchronous,
          description: "Dozens of small satellites of many owners share one ride."),
        MissionSeries(
          name: "Amberline", kind: "Communications", orbit: transfer,
          description: "A broadcasting satellite for a place over the equator."),
      ], hasWebcasts: true),
    LaunchProvider(
      id: 88, name: "China Aerospace Science and Technology Corporation", abbreviation: "CASC",
      kind: "Government", country: LaunchPlaces.china, founded: 1999, share: 18,
      rockets: [
        rocket(68, "Long March 2D", "Long March", "Long March 2D", "2D", 41, 3500, "1992-08-09"),
        rocket(75, "Long March 3B", "Long March", "Long March 3B/E", "3B/E", 56, 11500, "1996-02-14"),
      ],
      pads: [
        LaunchPlaces.pad(22, "Launch Area 94 (SLS-2)", 40.958, 100.291, LaunchPlaces.jiuquan),
        LaunchPlaces.pad(8, "Launch Complex 2 (LC-2)", 28.246, 102.027, LaunchPlaces.xichang),
      ],
      series: [
        MissionSeries(
          name: "Cloud Mirror", kind: "Earth Science", orbit: sunSynchronous,
          description: "A satellite that watches clouds and rain.", weight: 2),
        MissionSeries(name: "Unknown Payload", kind: "Unknown", orbit: unknown, description: "Details TBD."),
      ], hasWebcasts: false),
    LaunchProvider(
      id: 147, name: "Rocket Lab", abbreviation: "RL", kind: "Commercial", country: LaunchPlaces.states,
      founded: 2006, share: 8,
      rockets: [rocket(26, "Electron", "Electron", "Electron", "", 18, 300, "2017-05-25")],
      pads: [
        LaunchPlaces.pad(65, "Rocket Lab Launch Complex 1A", -39.261, 177.865, LaunchPlaces.mahia),
        LaunchPlaces.pad(166, "Rocket Lab Launch Complex 1B", -39.262, 177.866, LaunchPlaces.mahia),
      ],
      series: [
        MissionSeries(
          name: "Needle In A Skystack", kind: "Earth Science", orbit: sunSynchronous,
          description: "One small radar satellite."),
        MissionSeries(
          name: "Hop Hop", kind: "Test Flight", orbit: suborbital,
          description: "A short flight to test something fast.", weight: 0.4, isSuborbital: true),
      ], hasWebcasts: true),
    LaunchProvider(
      id: 124, name: "United Launch Alliance", abbreviation: "ULA", kind: "Commercial",
      country: LaunchPlaces.states, founded: 2006, share: 6,
      rockets: [
        rocket(200, "Vulcan", "Vulcan", "Vulcan", "", 62, 27200, "2024-01-08"),
        rocket(201, "Atlas V", "Atlas", "Atlas V 551", "551", 62, 18850, "2006-01-19"),
      ],
      pads: [
        LaunchPlaces.pad(29, "Space Launch Complex 41", 28.583, -80.583, LaunchPlaces.canaveral),
        LaunchPlaces.pad(11, "Space Launch Complex 3E", 34.64, -120.59, LaunchPlaces.vandenberg),
      ],
      series: [
        MissionSeries(
          name: "Sentry", kind: "Government/Top Secret", orbit: unknown,
          description: "A payload of which nothing is told.", weight: 2),
        MissionSeries(
          name: "Compass III", kind: "Navigation", orbit: mediumEarth,
          description: "A satellite that tells others where they are."),
      ], hasWebcasts: true),
    LaunchProvider(
      id: 141, name: "Blue Origin", abbreviation: "BO", kind: "Commercial", country: LaunchPlaces.states,
      founded: 2000, share: 4,
      rockets: [
        rocket(480, "New Glenn", "New Glenn", "New Glenn", "", reusable: true, 98, 45000, "2025-01-16")
      ],
      pads: [LaunchPlaces.pad(174, "Launch Complex 36A", 28.47, -80.538, LaunchPlaces.canaveral)],
      series: [
        MissionSeries(
          name: "Lantern", kind: "Communications", orbit: lowEarth,
          description: "A batch of satellites that carry phone calls.")
      ], hasWebcasts: true),
    LaunchProvider(
      id: 115, name: "Arianespace", abbreviation: "ASA", kind: "Commercial", country: LaunchPlaces.france,
      founded: 1980, share: 4,
      rockets: [rocket(171, "Ariane 64", "Ariane", "Ariane 64", "64", 60, 21600, nil)],
      pads: [LaunchPlaces.pad(178, "Ariane Launch Area 4", 5.256, -52.79, LaunchPlaces.kourou)],
      series: [
        MissionSeries(
          name: "Sextant FOC", kind: "Navigation", orbit: mediumEarth,
          description: "Two satellites for Europe's navigation."),
        MissionSeries(
          name: "Tidewatch", kind: "Earth Science", orbit: polar,
          description: "It measures the height of the seas to a centimetre."),
      ], hasWebcasts: true),
    LaunchProvider(
      id: 63, name: "Russian Federal Space Agency (ROSCOSMOS)", abbreviation: "RFSA", kind: "Government",
      country: LaunchPlaces.russia, founded: 1992, share: 4,
      rockets: [rocket(24, "Soyuz 2.1a", "Soyuz", "Soyuz 2.1a", "2.1a", 46, 7020, "2004-11-08")],
      pads: [LaunchPlaces.pad(20, "31/6", 45.996, 63.564, LaunchPlaces.baikonur)],
      series: [
        MissionSeries(
          name: "Zarnitsa M", kind: "Resupply", orbit: lowEarth,
          description: "Supplies for a station.", program: harbour)
      ], hasWebcasts: false),
    LaunchProvider(
      id: 31, name: "Indian Space Research Organization", abbreviation: "ISRO", kind: "Government",
      country: LaunchPlaces.india, founded: 1969, share: 2,
      rockets: [rocket(73, "PSLV", "PSLV", "PSLV-XL", "XL", 44, 3800, "2008-10-22")],
      pads: [LaunchPlaces.pad(14, "First Launch Pad", 13.733, 80.235, LaunchPlaces.sriharikota)],
      series: [
        MissionSeries(
          name: "Monsoon Eye", kind: "Earth Science", orbit: sunSynchronous,
          description: "Pictures of fields and rivers.")
      ], hasWebcasts: true),
    LaunchProvider(
      id: 98, name: "Mitsubishi Heavy Industries", abbreviation: "MHI", kind: "Commercial",
      country: LaunchPlaces.japan, founded: 1884, share: 2,
      rockets: [rocket(205, "H3", "H3", "H3-24", "24", 63, 16000, "2023-03-07")],
      pads: [
        LaunchPlaces.pad(33, "Yoshinobu Launch Complex LP-2", 30.401, 130.976, LaunchPlaces.tanegashima)
      ],
      series: [
        MissionSeries(
          name: "Kestrel", kind: "Government/Top Secret", orbit: unknown, description: "Details TBD.")
      ], hasWebcasts: true),
    LaunchProvider(
      id: 1901, name: "Halcyon Launch", abbreviation: "HAL", kind: nil, country: LaunchPlaces.norway,
      founded: 2019, share: 2,
      rockets: [rocket(901, "Petrel", "Petrel", "Petrel 2", "2", 28, nil, nil)],
      pads: [LaunchPlaces.pad(901, "Pad 1", 69.112, 15.588, LaunchPlaces.nordholm)],
      series: [
        MissionSeries(
          name: "First Light", kind: "Test Flight", orbit: polar, description: "A first try of a new rocket.")
      ], hasWebcasts: false),
  ]

  private static func rocket(
    _ id: Int, _ name: String, _ family: String, _ fullName: String, _ variant: String,
    reusable: Bool = false,
    _ length: Double?, _ capacity: Int?, _ maidenFlight: String?
  ) -> LaunchRocket {
    LaunchRocket(
      id: id, name: name, family: family, fullName: fullName, variant: variant, isReusable: reusable,
      length: length, capacity: capacity, maidenFlight: maidenFlight)
  }
}
