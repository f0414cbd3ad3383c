/// Where rockets start from: real coordinates, and some places that nobody has built.
enum LaunchPlaces {
  static let states = LaunchCountry(
    id: 2, name: "United States of America", alpha2: "US", alpha3: "USA", nationality: "American")
  static let china = LaunchCountry(
    id: 1, name: "China", alpha2: "CN", alpha3: "CHN", nationality: "Chinese")
  static let russia = LaunchCountry(
    id: 5, name: "Russia", alpha2: "RU", alpha3: "RUS", nationality: "Russian")
  static let kazakhstan = LaunchCountry(
    id: 44, name: "Kazakhstan", alpha2: "KZ", alpha3: "KAZ", nationality: "Kazakh")
  static let newZealand = LaunchCountry(
    id: 9, name: "New Zealand", alpha2: "NZ", alpha3: "NZL", nationality: "New Zealander")
  static let france = LaunchCountry(
    id: 3, name: "France", alpha2: "FR", alpha3: "FRA", nationality: "French")
  static let guiana = LaunchCountry(
    id: 45, name: "French Guiana", alpha2: "GF", alpha3: "GUF", nationality: "French Guianese")
  static let india = LaunchCountry(
    id: 7, name: "India", alpha2: "IN", alpha3: "IND", nationality: "Indian")
  static let japan = LaunchCountry(
    id: 6, name: "Japan", alpha2: "JP", alpha3: "JPN", nationality: "Japanese")
  static let norway = LaunchCountry(
    id: 33, name: "Norway", alpha2: "NO", alpha3: "NOR", nationality: "Norwegian")

  static let vandenberg = LaunchLocation(
    id: 11, name: "Vandenberg SFB, CA, USA", country: states, timeZone: "America/Los_Angeles",
    latitude: 34.742, longitude: -120.572, hasForecasts: true)
  static let canaveral = LaunchLocation(
    id: 12, name: "Cape Canaveral SFS, FL, USA", country: states, timeZone: "America/New_York",
    latitude: 28.488, longitude: -80.577, hasForecasts: true)
  static let kennedy = LaunchLocation(
    id: 27, name: "Kennedy Space Center, FL, USA", country: states, timeZone: "America/New_York",
    latitude: 28.524, longitude: -80.651, hasForecasts: true)
  static let starbase = LaunchLocation(
    id: 143, name: "SpaceX Starbase, TX, USA", country: states, timeZone: "America/Chicago",
    latitude: 25.997, longitude: -97.155, hasForecasts: false)
  static let mahia = LaunchLocation(
    id: 10, name: "Mahia Peninsula, New Zealand", country: newZealand, timeZone: "Pacific/Auckland",
    latitude: -39.262, longitude: 177.865, hasForecasts: false)
  static let kourou = LaunchLocation(
    id: 13, name: "Guiana Space Centre, French Guiana", country: guiana, timeZone: "America/Cayenne",
    latitude: 5.236, longitude: -52.775, hasForecasts: false)
  static let jiuquan = LaunchLocation(
    id: 17, name: "Jiuquan Satellite Launch Center, People's Republic of China", country: china,
    timeZone: "Asia/Shanghai", latitude: 40.958, longitude: 100.291, hasForecasts: false)
  static let xichang = LaunchLocation(
    id: 16, name: "Xichang Satellite Launch Center, People's Republic of China", country: china,
    timeZone: "Asia/Shanghai", latitude: 28.246, longitude: 102.027, hasForecasts: false)
  static let baikonur = LaunchLocation(
    id: 15, name: "Baikonur Cosmodrome, Republic of Kazakhstan", country: kazakhstan,
    timeZone: "Asia/Qyzylorda", latitude: 45.965, longitude: 63.305, hasForecasts: false)
  static let sriharikota = LaunchLocation(
    id: 14, name: "Satish Dhawan Space Centre, India", country: india, timeZone: "Asia/Kolkata",
    latitude: 13.72, longitude: 80.23, hasForecasts: false)
  static let tanegashima = LaunchLocation(
    id: 26, name: "Tanegashima Space Center, Japan", country: japan, timeZone: "Asia/Tokyo",
    latitude: 30.375, longitude: 130.957, hasForecasts: false)
  static let nordholm = LaunchLocation(
    id: 901, name: "Nordholm Spaceport, Norway", country: norway, timeZone: "Europe/Oslo",
    latitude: 69.11, longitude: 15.59, hasForecasts: true)

  static func pad(_ id: Int, _ name: String, _ latitude: Double, _ longitude: Double, _ at: LaunchLocation)
    -> LaunchPad
  {
    LaunchPad(id: id, name: name, latitude: latitude, longitude: longitude, location: at)
  }

  /// What stands for a pad that has not been told yet.
  static func unknownPad(at location: LaunchLocation) -> LaunchPad {
    pad(9000 + location.id, "Unknown Pad", location.latitude, location.longitude, location)
  }
}
