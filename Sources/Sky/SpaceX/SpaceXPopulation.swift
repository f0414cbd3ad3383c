// Whole entries in the place of their ids.

import JSON

/// A path whose ids become entries, these perhaps with paths of their own.
struct SpaceXPopulation {
  /// Deeper than this nothing is put in the place of ids: entries lead to each other in circles.
  private static let deepest = 4

  private let path: ArraySlice<String>
  private let selection: SpaceXSelection
  private let inner: [SpaceXPopulation]

  /// `"rocket payloads"`, `["rocket"]`, `{"path": "rocket", "select": …, "populate": …}`, or a list of such.
  static func list(_ option: Value?, crewPath: String, depth: Int = 0) throws(SpaceXProblem)
    -> [SpaceXPopulation]
  {
    guard let option, depth < deepest else { return [] }
    if let text = option.string {
      return text.split(separator: " ").map { SpaceXPopulation(path: String($0), crewPath: crewPath) }
    }
    if let items = option.items {
      var all: [SpaceXPopulation] = []
      for item in items { all += try list(item, crewPath: crewPath, depth: depth) }
      return all
    }
    guard let path = option.member("path")?.string else { return [] }
    let selection = try SpaceXSelection(option.member("select"))
    let inner = try list(option.member("populate"), crewPath: crewPath, depth: depth + 1)
    return path.split(separator: " ").map {
      SpaceXPopulation(path: String($0), crewPath: crewPath, selection: selection, inner: inner)
    }
  }

  private init(
    path: String, crewPath: String, selection: SpaceXSelection = .everything, inner: [SpaceXPopulation] = []
  ) {
    self.path = SpaceXPath.parts(path == "crew" ? crewPath : path)
    self.selection = selection
    self.inner = inner
  }

  /// The collection that ids under a name are of.
  private static let collections = [
    "rocket": "rockets", "rockets": "rockets", "launchpad": "launchpads", "landpad": "landpads",
    "payloads": "payloads", "launch": "launches", "launches": "launches", "core": "cores", "ships": "ships",
    "capsule": "capsules", "capsules": "capsules", "crew": "crew", "dragon": "dragons",
  ]

  func populating(_ entry: Value, in world: SpaceXWorld) -> Value {
    guard let name = path.last, let collection = Self.collections[name] else { return entry }
    func entryOf(_ id: Value) -> Value? {
      guard let found = id.string.flatMap({ world.entry($0, of: collection) }) else { return nil }
      return selection.of(inner.reduce(found) { $1.populating($0, in: world) })
    }
    return SpaceXPath.changing(entry, path) { value in
      if let items = value.items {
        // What is no id is left alone, what is one of nothing goes.
        return .array(items.compactMap { $0.isString ? entryOf($0) : $0 })
      }
      return value.isString ? entryOf(value) ?? .null : value
    }
  }
}
