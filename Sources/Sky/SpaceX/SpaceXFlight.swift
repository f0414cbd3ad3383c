/// A row of the table of launches, as values; the file explains its columns.
struct SpaceXFlight: Sendable {
  /// A core's part in a launch; nil where it is unknown.
  struct Core: Sendable {
    let core, flight, landpad: Int?
    let isReused, hasLanded: Bool?
    /// `ASDS` for a ship, `RTLS` for land, or `Ocean`.
    let landing: String?

    /// `61.4s3+`, `?n`.
    fileprivate init(_ text: Substring) {
      core = Int(text.prefix { $0.isNumber })
      flight = SpaceXFlight.number(after: ".", in: text)
      isReused = flight.map { $0 > 1 } ?? (text.hasSuffix("u") ? true : text.hasSuffix("n") ? false : nil)
      let way = text.first(where: "slo".contains)
      landing = way.flatMap { ["s": "ASDS", "l": "RTLS", "o": "Ocean"][$0] }
      landpad = way.flatMap { SpaceXFlight.number(after: $0, in: text) }
      hasLanded = SpaceXFlight.flag(text.last)
    }
  }

  /// The place of the row, from 0.
  let number: Int
  let name: String
  let date: SkyTime
  /// `hour`, `day` or `month`.
  let precision: String
  /// Hours from UTC to the clock of the launch pad.
  let hoursEast: Int
  /// The places of the rocket and the pad in their collections.
  let rocket, pad: Int
  let isPast: Bool
  let success: Bool?
  let cores: [Core]
  /// As in the table; nil for a launch without fairings.
  let fairings: Character?
  let ships: [Int]
  let capsule: Int?
  let crew: [Int]
  let payloads: Int
  /// The letters of the table's last column.
  private let known: String

  /// The launches of the table, in its order.
  static let all = SkyData.rows(PackageResources.spacex_launches_txt).enumerated().map(SpaceXFlight.init)

  private init(_ number: Int, _ columns: [String]) {
    let parts = columns[1].split(separator: " ")
    let (vehicle, people) = (Array(columns[2]), columns[6])
    self.number = number
    name = columns[0]
    let moment = parts.dropLast().joined(separator: " ")
    date = SkyTime(iso: moment + (parts[0].count == 7 ? "-01" : "")) ?? LaunchWorld.start
    precision = parts.count == 3 ? "hour" : parts[0].count == 10 ? "day" : "month"
    hoursEast = parts.last.flatMap { Int($0) } ?? 0
    rocket = ["1": 0, "9": 1, "H": 2][vehicle[0]] ?? 0
    pad = ["c": 0, "a": 1, "v": 2, "k": 3][vehicle[1]] ?? 0
    isPast = vehicle[2] != "."
    success = Self.flag(vehicle[2])
    cores = columns[3].split(separator: " ").map(Core.init)
    fairings = columns[4].first { $0 != "-" }
    ships = columns[5].split(separator: " ").compactMap { Int($0) }
    capsule = Self.number(after: "c", in: people)
    // Four of sixteen people in turn.
    crew = Self.number(after: "w", in: people).map { first in (0..<4).map { (first + $0) % 16 } } ?? []
    payloads = Self.number(after: "p", in: people) ?? 0
    known = columns[7]
  }

  private static func flag(_ sign: Character?) -> Bool? { sign == "+" ? true : sign == "-" ? false : nil }

  private static func number(after letter: Character, in text: some StringProtocol) -> Int? {
    Int(text.drop { $0 != letter }.dropFirst().prefix { $0.isNumber })
  }

  /// Letters and digits of the name, as in file names.
  var slug: String { LaunchShape.fileName(name) }
  var photos: Int { known.last?.wholeNumberValue ?? 0 }
  func knows(_ thing: Character) -> Bool { known.contains(thing) }
}
