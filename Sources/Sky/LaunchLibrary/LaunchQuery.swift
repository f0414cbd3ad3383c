// The query of a list of launches: filters, order and page.

import JSON
import System

/// The filters and the order of a list of launches; unknown parameters are ignored.
struct LaunchQuery {
  /// An invalid parameter, with the message of the service.
  struct Wrong: Error {
    let parameter: String
    let message: String
  }

  private let version: LaunchShape.Version
  private var filters: [(LaunchState) -> Bool] = []
  /// Fields, with `-` for descending.
  private var ordering: [String]
  /// What orders launches that are equal in all of them; nil for their ids.
  private let ties: UInt64?

  init(_ request: SkyRequest, _ version: LaunchShape.Version, defaultOrder: String) throws(Wrong) {
    self.version = version
    ordering = [defaultOrder]
    ties = request.listFaults.ties
    for (name, value) in request.query where !value.isEmpty { try add(name, value) }
  }

  /// The launches that pass the filters, in the requested order.
  func select(_ launches: [LaunchState]) -> [LaunchState] {
    let chosen = launches.filter { launch in filters.allSatisfy { $0(launch) } }
    guard let ties else { return sorted(chosen.sorted { $0.id < $1.id }) }
    let places = chosen.map { launch in
      var random = SkyRandom(ties, "tie", launch.number)
      return (place: random.next(), launch: launch)
    }
    return sorted(places.sorted { $0.place < $1.place }.map(\.launch))
  }

  /// The launches by the fields, from the last to the first; the order of equal ones stays.
  private func sorted(_ launches: [LaunchState]) -> [LaunchState] {
    ordering.reversed().reduce(launches) { launches, field in
      func by<Field: Comparable>(_ key: (LaunchState) -> Field) -> [LaunchState] {
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

  private mutating func add(_ name: String, _ value: String) throws(Wrong) {
    switch name {
    case "ordering":
      // Unknown fields are left out.
      let known = Self.words(value).filter { field in
        ["id", "last_updated", "name", "net"].contains { field == $0 || field == "-" + $0 }
      }
      if !known.isEmpty { ordering = known }
    case "search": addSearch(value)
    case "id":
      let ids = Self.words(value)
      filters.append { ids.contains($0.id) }
    case "slug": filters.append { $0.slug == value }
    case "launch_designator" where version == .v230: filters.append { $0.designator == value }
    case "status", "status__ids": try addNumbers(name, value) { $0.status.rawValue }
    case "lsp__id", "lsp__ids", "lsp__name": try addProvider(name, value)
    case "location__ids", "pad__location", "pad__location__ids":
      try addNumbers(name, value, isLax: version != .v230) { $0.pad.location.id }
    case "pad", "pad__ids": try addNumbers(name, value) { $0.pad.id }
    case "rocket__configuration__id": try addNumbers(name, value) { $0.rocket.id }
    case "program": try addNumbers(name, value) { $0.mission.program?.id ?? 0 }
    case "year": try addNumbers(name, value) { $0.net.date.year }
    case "month": try addNumbers(name, value) { $0.net.date.civil.month }
    case "day": try addNumbers(name, value) { $0.net.date.civil.day }
    case "is_crewed":
      if let flag = Self.flag(value) { filters.append { $0.mission.isCrewed == flag } }
    case "include_suborbital":
      if Self.flag(value) == false {
        filters.append { $0.mission.orbit?.id != LaunchCatalog.suborbitalID }
      }
    case "serial_number": filters.append { $0.booster == value }
    default:
      if !addText(name, value) { try addMoment(name, value) }
    }
  }

  /// Values that are no numbers are ignored by a lax filter and refused by a strict one.
  private mutating func addNumbers(
    _ name: String, _ value: String, isLax: Bool = false, _ key: @escaping (LaunchState) -> Int
  ) throws(Wrong) {
    let numbers = Self.words(value).compactMap(Int.init)
    if numbers.isEmpty {
      if isLax { return }
      throw Wrong(parameter: name, message: "Enter a number.")
    }
    filters.append { numbers.contains(key($0)) }
  }

  /// By name or number.
  ///
  /// The old versions have lists of numbers under names of their own, and are less strict: a part of the name is enough,
  /// and values that are no numbers are ignored.
  private mutating func addProvider(_ name: String, _ value: String) throws(Wrong) {
    let isOld = version != .v230
    switch name {
    case "lsp__name":
      let names = Self.words(value).map { $0.lowercased() }
      filters.append { launch in
        let own = launch.provider.name.lowercased()
        return names.contains { isOld ? own.has($0) : own == $0 }
      }
    case "lsp__id" where isOld:
      if let number = Int(value) { filters.append { $0.provider.id == number } }
    case "lsp__ids" where !isOld: break
    default: try addNumbers(name, value, isLax: isOld) { $0.provider.id }
    }
  }

  /// Text filters, whole or with `__icontains`.
  private mutating func addText(_ name: String, _ value: String) -> Bool {
    let key: (LaunchState) -> String
    var field = name
    let isPart = name.hasSuffix("__icontains")
    if isPart { field = String(name.dropLast("__icontains".count)) }
    switch field {
    case "name": key = \.name
    case "rocket__configuration__name": key = \.rocket.name
    case "rocket__configuration__full_name": key = \.rocket.fullName
    case "mission__orbit__name": key = { $0.mission.orbit?.name ?? "" }
    default: return false
    }
    let wanted = value.lowercased()
    filters.append { launch in
      let text = key(launch).lowercased()
      return isPart ? text.has(wanted) : text == wanted
    }
    return true
  }

  /// Time filters such as `net__gte`.
  private mutating func addMoment(_ name: String, _ value: String) throws(Wrong) {
    let parts = name.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count >= 3, let relation = parts.last, parts[parts.count - 2].isEmpty else { return }
    let key: (LaunchState) -> SkyTime
    switch parts.dropLast(2).joined(separator: "_") {
    case "net": key = \.net
    case "window_start": key = \.windowStart
    case "window_end": key = \.windowEnd
    case "last_updated": key = \.lastUpdated
    default: return
    }
    guard ["gt", "gte", "lt", "lte"].contains(relation) else { return }
    guard let time = SkyTime(iso: value) else {
      throw Wrong(parameter: name, message: "Enter a valid date/time.")
    }
    switch relation {
    case "gt": filters.append { key($0) > time }
    case "gte": filters.append { key($0) >= time }
    case "lt": filters.append { key($0) < time }
    default: filters.append { key($0) <= time }
    }
  }

  /// Each word must occur in one of the names.
  private mutating func addSearch(_ value: String) {
    let words = value.lowercased().split { $0 == " " || $0 == "," }.map(String.init)
    filters.append { launch in
      let texts = [
        launch.name, launch.mission.name, launch.provider.name, launch.provider.abbreviation, launch.pad.name,
        launch.pad.location.name, launch.rocket.fullName,
      ].map { $0.lowercased() }
      return words.allSatisfy { word in texts.contains { $0.has(word) } }
    }
  }

  private static func words(_ value: String) -> [String] {
    value.split(separator: ",").map { String($0.drop { $0 == " " }) }
  }

  static func flag(_ value: String) -> Bool? {
    switch value.lowercased() {
    case "true", "1": true
    case "false", "0": false
    default: nil
    }
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
