// The query of a list of launches, as `launch_library` sends it: filters, order and page.

import JSON
import System

/// A launch, as far as filters, orders and searches of a list read it.
protocol ListedLaunch {
  var id: String { get }
  var name: String { get }
  var net: SkyTime { get }
  var lastUpdated: SkyTime { get }
  var providerName: String { get }
  /// The numbers of its status and of the place it starts from.
  var statusNumber: Int { get }
  var locationNumber: Int { get }
  /// The names that `search` looks for words in.
  var names: [String] { get }
}

/// The filters and the order of a list of launches; unknown parameters are ignored.
struct LaunchQuery {
  /// An invalid parameter, with the message of the service.
  struct InvalidParameter: Error {
    let parameter: String
    let message: String
  }

  private var filters: [(any ListedLaunch) -> Bool] = []
  /// Fields, with `-` for descending.
  private var ordering: [String]
  /// The seed of the order of launches that are equal in all of them; nil for their ids.
  private let ties: UInt64?

  init(_ request: SkyRequest, defaultOrder: String) throws(InvalidParameter) {
    ordering = [defaultOrder]
    ties = request.listFaults.ties
    for (name, value) in request.query where !value.isEmpty { try add(name, value) }
  }

  /// The launches that pass the filters, in the requested order.
  func select<Launch: ListedLaunch>(_ launches: [Launch]) -> [Launch] {
    let chosen = launches.filter { launch in filters.allSatisfy { $0(launch) } }
    guard let ties else { return sorted(chosen.sorted { $0.id < $1.id }) }
    let places = chosen.map { launch in
      var random = SkyRandom(ties, "tie \(launch.id)")
      return (place: random.next(), launch: launch)
    }
    return sorted(places.sorted { $0.place < $1.place }.map(\.launch))
  }

  /// The launches by the fields, from the last to the first; the order of equal ones stays.
  private func sorted<Launch: ListedLaunch>(_ launches: [Launch]) -> [Launch] {
    ordering.reversed().reduce(launches) { launches, field in
      func by<Field: Comparable>(_ key: (Launch) -> Field) -> [Launch] {
        field.hasPrefix("-")
          ? launches.sorted { key($0) > key($1) } : launches.sorted { key($0) < key($1) }
      }
      return switch field.drop(while: { $0 == "-" }) {
      case "id": by(\.id)
      case "name": by(\.name)
      case "last_updated": by(\.lastUpdated)
      default: by(\.net)
      }
    }
  }

  // MARK: - Reading

  private mutating func add(_ name: String, _ value: String) throws(InvalidParameter) {
    let words = value.split(separator: ",").map { String($0.drop { $0 == " " }) }
    switch name {
    case "ordering":
      // Unknown fields are left out.
      let known = words.filter { field in
        ["id", "last_updated", "name", "net"].contains { field == $0 || field == "-" + $0 }
      }
      if !known.isEmpty { ordering = known }
    case "search":
      // Each word must occur in one of the names.
      let words = value.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
      filters.append { launch in
        let names = launch.names.map { $0.lowercased() }
        return words.allSatisfy { word in names.contains { $0.has(word) } }
      }
    case "lsp__name":
      let names = words.map { $0.lowercased() }
      filters.append { names.contains($0.providerName.lowercased()) }
    case "status__ids":
      let numbers = try numbers(name, words)
      filters.append { numbers.contains($0.statusNumber) }
    case "location__ids":
      let numbers = try numbers(name, words)
      filters.append { numbers.contains($0.locationNumber) }
    case "net__gte", "net__lt":
      guard let time = SkyTime(iso: value) else {
        throw InvalidParameter(parameter: name, message: "Enter a valid date/time.")
      }
      filters.append { ($0.net < time) == (name == "net__lt") }
    default: break
    }
  }

  private func numbers(_ name: String, _ words: [String]) throws(InvalidParameter) -> [Int] {
    let numbers = words.compactMap(Int.init)
    if numbers.isEmpty { throw InvalidParameter(parameter: name, message: "Enter a number.") }
    return numbers
  }
}

/// The page of a list, with the links to the previous and the next one.
struct LaunchPaging {
  private static let largest = 100

  private let request: SkyRequest
  private let count: Int
  private let limit: Int
  private let offset: Int

  init(_ request: SkyRequest, count: Int) {
    self.request = request
    self.count = count
    let wanted = request[parameter: "limit"].flatMap(Int.init) ?? 10
    limit = wanted > 0 ? min(wanted, Self.largest) : 10
    offset = min(max(0, request[parameter: "offset"].flatMap(Int.init) ?? 0), 1_000_000_000)
  }

  /// The rows of the page, moved by the shift of the list since the previous page.
  var rows: Range<Int> {
    let first = offset == 0 ? 0 : min(max(0, offset + request.listFaults.shift), count)
    let rows = first..<min(first + limit, count)
    return isPartial ? rows.prefix((rows.count + 1) / 2) : rows
  }

  private var isPartial: Bool { request.listFaults.glitch == .partial }

  func envelope(_ results: [Value]) -> Value {
    let next = offset < count - limit && !isPartial ? link(to: offset + limit) : nil
    let previous = offset > 0 ? link(to: offset - limit) : nil
    return .record([
      "count": .count(count), "next": .text(next), "previous": .text(previous), "results": .array(results),
    ])
  }

  /// The address of another page, its parameters ordered by name.
  private func link(to offset: Int) -> String {
    var parameters = request.query.filter { $0.name != "limit" && $0.name != "offset" }
    parameters.append(("limit", "\(limit)"))
    if offset > 0 { parameters.append(("offset", "\(offset)")) }
    parameters.sort { $0.name < $1.name }
    return request.origin + request.path + LaunchLibraryService.query(parameters)
  }
}
