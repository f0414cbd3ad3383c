// A row of the table of launches, as values.

/// A launch: when, on what, from where, how it ended, and which of its fields are known.
struct SpaceXFlight: Sendable {
  enum Landing: String, Sendable { case ship = "ASDS", land = "RTLS", ocean = "Ocean" }

  /// A core's part in a launch; nil where it is unknown.
  struct Core: Sendable {
    var core: Int?
    /// How many times it has flown, this launch included.
    var flight: Int?
    var isReused: Bool?
    var landing: Landing?
    var landpad: Int?
    var hasLanded: Bool?
  }

  /// The place of the row, from 0.
  let number: Int
  let name: String
  let date: SkyTime
  /// `hour`, `day` or `month`.
  let precision: String
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
  let known: Set<Character>
  let photos: Int

  /// The launches of the table, in its order.
  static let all: [SpaceXFlight] = {
    var uses: [Int: Int] = [:]
    return table.split(separator: ";").enumerated().compactMap { number, row in
      SpaceXFlight(number, row.split(separator: "|", omittingEmptySubsequences: false), &uses)
    }
  }()

  /// `uses` counts the launches of each core so far.
  private init?(_ number: Int, _ columns: [Substring], _ uses: inout [Int: Int]) {
    guard columns.count == 8, columns[2].count == 3 else { return nil }
    let day = String(columns[1]) + (columns[1].count == 7 ? "-01" : "")
    guard let date = SkyTime(iso: day) else { return nil }
    let vehicle = Array(columns[2])
    self.number = number
    name = String(columns[0])
    self.date = date
    precision = columns[1].count > 10 ? "hour" : columns[1].count == 10 ? "day" : "month"
    rocket = vehicle[0] == "1" ? 0 : vehicle[0] == "9" ? 1 : 2
    pad = vehicle[1] == "c" ? 0 : vehicle[1] == "a" ? 1 : vehicle[1] == "v" ? 2 : 3
    isPast = vehicle[2] != "."
    success = Self.flag(vehicle[2])
    cores = columns[3].split(separator: " ").map { Core($0, &uses) }
    fairings = columns[4].first.flatMap { $0 == "-" ? nil : $0 }
    ships = columns[5].split(separator: " ").compactMap { Int($0) }
    capsule = Self.number(after: "c", in: columns[6])
    let first = Self.number(after: "w", in: columns[6])
    crew = first.map { first in (0..<4).map { (first + $0) % APODWords.people.count } } ?? []
    payloads = Self.number(after: "p", in: columns[6]) ?? 0
    known = Set(columns[7])
    photos = columns[7].last?.wholeNumberValue ?? 0
  }

  /// The rows and columns are ours: what a letter does not name is unknown.
  fileprivate static func flag(_ sign: Character?) -> Bool? {
    sign == "+" ? true : sign == "-" ? false : nil
  }

  private static func number(after letter: Character, in text: Substring) -> Int? {
    text.firstIndex(of: letter).flatMap { Int(text[text.index(after: $0)...].prefix { $0.isNumber }) }
  }

  /// Letters and digits of the name, as in file names.
  var slug: String { LaunchShape.fileName(name) }
  /// The first word of the name, as `Starling`.
  var series: Substring { name.prefix { $0 != " " && $0 != "-" } }
  func knows(_ thing: Character) -> Bool { known.contains(thing) }

  /// Flights that failed, by their place: seconds after lift-off, kilometres of altitude, reason.
  static let failures: [Int: (time: Int, altitude: Int?, reason: String)] = [
    0: (31, nil, "loss of thrust after a fuel line burnt through"),
    1: (298, 285, "slosh in the second stage led to an early shutdown"),
    2: (142, 36, "the stages met again after they had parted"),
    24: (141, 41, "a strut in the upper stage gave way"),
    33: (-12_000, 0, "a helium vessel burst while tanking on the pad"),
  ]
}

extension SpaceXFlight.Core {
  /// `61s3+`, `?n`.
  fileprivate init(_ text: Substring, _ uses: inout [Int: Int]) {
    core = Int(text.prefix { $0.isNumber })
    if let core {
      uses[core, default: 0] += 1
      flight = uses[core]
      isReused = flight.map { $0 > 1 }
    } else {
      isReused = text.hasSuffix("u") ? true : text.hasSuffix("n") ? false : nil
    }
    let rest = text.drop { $0.isNumber || $0 == "?" }
    landing = ["s": .ship, "l": .land, "o": .ocean][rest.first ?? "?"]
    landpad = rest.dropFirst().first?.wholeNumberValue
    hasLanded = SpaceXFlight.flag(rest.last)
  }
}
