import JSON

/// Which rows of a list a request gets, and the links to those before and after.
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

  /// The rows of the page; where the list has shifted since the page before, those that are there now.
  var rows: Range<Int> {
    let first = offset == 0 ? 0 : min(max(0, offset + request.shift), count)
    return first..<min(first + limit, count)
  }

  func envelope(_ results: [Value]) -> Value {
    let next = offset < count - limit ? link(to: offset + limit) : nil
    let previous = offset > 0 ? link(to: offset - limit) : nil
    return .record([
      "count": .count(count), "next": .text(next), "previous": .text(previous), "results": .array(results),
    ])
  }

  /// The same query for other rows, its parameters by name.
  private func link(to offset: Int) -> String {
    var parameters = request.query.filter { $0.name != "limit" && $0.name != "offset" }
    parameters.append(("limit", "\(limit)"))
    if offset > 0 { parameters.append(("offset", "\(offset)")) }
    parameters.sort { $0.name < $1.name }
    return request.origin + request.path + LaunchLibraryService.query(parameters)
  }
}
