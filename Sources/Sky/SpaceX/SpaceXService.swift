// The SpaceX API as api.spacexdata.com answered before its data stood still in October 2022.

import JSON
import System

/// The SpaceX API, recorded: launches, rockets and launch pads at `/v4/…`, and launches at `/v5/launches`.
///
/// A list is answered whole. A query (`POST …/query`) has the members that `spacex` sends: `query` with members that are
/// equal to a value, and `limit`, `page`, `sort`, `select` and `populate`.
public final class SpaceXService: SkyService {
  /// The entries by collection.
  private static let collections: Value = {
    var data = SkyData.json(PackageResources.spacex_json)
    // The launches are a table, which names their members once.
    let table = data.member("launches")
    let shape = Shape((table?.member("columns")?.items ?? []).map { Key($0.string ?? "") })
    data.setMember(
      "launches", .array((table?.member("rows")?.items ?? []).map { .object(shape, $0.items ?? []) }))
    return data
  }()

  public init() {}

  public func answer(_ request: SkyRequest, at now: SkyTime) -> SkyAnswer? {
    let parts = request.path.split(separator: "/").map(String.init)
    guard let version = parts.first, ["v4", "v5"].contains(version) else { return nil }
    guard (2...3).contains(parts.count), version == "v4" || parts[1] == "launches",
      let all = Self.collections.member(parts[1])?.items
    else { return Self.notFound }
    let place = parts.count == 3 ? parts[2] : nil
    do {
      if place == "query", request.method == "POST" {
        return answer(try Self.page(.array(all), request.body), request)
      }
      guard let value = Self.entries(place, of: all) else { return Self.notFound }
      return answer(value, request)
    } catch {
      return Self.plain(400, "\(error)")
    }
  }

  /// All entries; of launches also those to come, those that flew, the next and the latest.
  private static func entries(_ place: String?, of all: [Value]) -> Value? {
    func isUpcoming(_ launch: Value) -> Bool { launch.member("upcoming")?.bool == true }
    return switch place {
    case nil: .array(all)
    case "past": .array(all.filter { !isUpcoming($0) })
    case "upcoming": .array(all.filter(isUpcoming))
    case "latest": all.last { !isUpcoming($0) }
    case "next": all.first(where: isUpcoming)
    default: nil
    }
  }

  // MARK: - Queries

  private static func page(_ entries: Value, _ body: [UInt8]) throws -> Value {
    var environment = Environment()
    environment.variables = ["asked": try Value.parse(body), "collections": collections]
    return try program.get().evaluator(environment).first(entries) ?? .null
  }

  private static let program = Result { try Program(text, variables: ["asked", "collections"]) }

  private static let text = #"""
    def conditions:
      ($asked.query // {}) | to_entries[]
      | if (.key | startswith("$") or contains(".")) or (.value | type == "object") then
          error("the recorded SpaceX API does not know the query { \(.key): \(.value) }, only members that are equal to a value")
        else . end;
    def entry: . as $id | first($collections[][] | select(.id == $id)) // null;

    ($asked.options // {}) as $options | ($options.limit // 10) as $limit | ($options.page // 1) as $page
    | if ($options.sort // {} | type) != "object" then error("the recorded SpaceX API sorts by { member: asc or desc }") else . end
    | [conditions] as $wanted
    | map(select(. as $row | all($wanted[]; $row[.key] == .value)))
    | reduce ($options.sort // {} | to_entries | reverse[]) as $order (.;
        if $order.value | IN("desc", "descending", -1) then reverse | sort_by(.[$order.key]) | reverse
        else sort_by(.[$order.key]) end)
    | length as $total | ([1, ($total / $limit | ceil)] | max) as $pages
    | { docs:
          .[($page - 1) * $limit:$page * $limit]
          | map(
              reduce ($options.populate // [])[] as $name (.; if has($name) then .[$name] |= entry else . end)
              | if $options.select then with_entries(select(.key == "id" or $options.select[.key])) else . end),
        totalDocs: $total, limit: $limit, totalPages: $pages, page: $page, hasPrevPage: ($page > 1),
        hasNextPage: ($page < $pages) }
    """#

  // MARK: - Answers

  private func answer(_ value: Value, _ request: SkyRequest) -> SkyAnswer {
    let body = SkyData.linked(value, to: request.origin).json
    let tag = "\"\(StableHash(body).digits)\""
    if request[header: "if-none-match"]?.hasTag(tag) == true {
      return SkyAnswer(status: 304, headers: [("ETag", tag)], body: [])
    }
    return SkyAnswer(
      headers: [("Content-Type", "application/json; charset=utf-8"), ("ETag", tag)], body: body)
  }

  private static let notFound = plain(404, "Not Found: launches, rockets and launchpads are what is recorded")

  /// An answer in plain text, as this service gives errors.
  static func plain(_ status: Int, _ text: String) -> SkyAnswer {
    .text(status, text, type: "text/plain; charset=utf-8")
  }
}
