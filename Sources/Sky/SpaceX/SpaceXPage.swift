// A page of what a query finds.

import JSON

/// What is asked of a query besides its condition: `{"limit": 5, "page": 2, "sort": {…}, "select": {…}, "populate": […]}`.
struct SpaceXPage {
  private let selection: SpaceXSelection
  private let order: SpaceXOrder
  private let populations: [SpaceXPopulation]
  private let limit: Int
  private let page: Int?
  private let offset: Int?
  private let isPaged: Bool

  init(_ options: Value, crewPath: String) throws(SpaceXProblem) {
    selection = try SpaceXSelection(options.member("select"))
    order = try SpaceXOrder(options.member("sort"))
    populations = try SpaceXPopulation.list(options.member("populate"), crewPath: crewPath)
    isPaged = options.member("pagination").map { $0.bool != false } ?? true
    limit = max(0, Self.number(options.member("limit")) ?? 10)
    let offset = Self.number(options.member("offset"))
    let page = Self.number(options.member("page"))
    // Where nothing is said, the page is said as an offset of nothing.
    self.offset = offset.map { max(0, $0) } ?? (page == nil ? 0 : nil)
    self.page = offset == nil ? page.map { max(1, $0) } : nil
  }

  /// A number, or a text of one.
  private static func number(_ value: Value?) -> Int? {
    value.flatMap { $0.double ?? $0.string.flatMap { Double($0) } }.flatMap {
      Int(exactly: $0.rounded(.towardZero))
    }
  }

  /// The page, as the service answers it.
  func value(of found: [Value], in world: SpaceXWorld) -> Value {
    let total = found.count
    let sorted = order.sorted(found)
    let page = self.page ?? (limit > 0 ? (offset ?? 0) / limit + ((offset ?? 0) % limit > 0 ? 1 : 0) + 1 : 1)
    let (first, isOver) =
      self.page.map { ($0 - 1).multipliedReportingOverflow(by: limit) } ?? (offset ?? 0, false)
    let rows = isPaged ? sorted.dropFirst(isOver ? total : first).prefix(limit) : sorted[...]
    let docs = rows.map { row in
      selection.of(populations.reduce(row) { $1.populating($0, in: world) })
    }
    let pages = isPaged && limit > 0 ? max(1, (total + limit - 1) / limit) : 1
    let number = isPaged && limit > 0 ? page : 1
    let hasOffset = (offset ?? 0) > 0
    let isFollowing = isPaged && limit > 0 && (number > 1 || hasOffset)
    let isFollowed = isPaged && limit > 0 && number < pages
    var members: [(String, Value)] = [("docs", .array(docs)), ("totalDocs", .number(total))]
    if let offset { members.append(("offset", .number(offset))) }
    members += [
      ("limit", .number(isPaged ? limit : total)), ("totalPages", .number(pages)), ("page", .number(number)),
      ("pagingCounter", .number(isPaged ? (isOver ? total : (number - 1) * limit) + 1 : 1)),
      ("hasPrevPage", .bool(isFollowing)), ("hasNextPage", .bool(isFollowed)),
      ("prevPage", isFollowing ? .number(max(1, number - 1)) : .null),
      ("nextPage", isFollowed ? .number(number + 1) : .null),
    ]
    return .object(Shape(members.map { Key($0.0) }), members.map(\.1))
  }
}
