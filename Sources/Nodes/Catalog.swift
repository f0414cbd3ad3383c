import Pipeline

extension Catalog {
  /// Every node of flow, in the order in which they are listed.
  public static let all = Catalog([
    // sources
    stdin,
    // steps
    map, filter,
    // sinks
    console, jsonl, exec, notify, count, null,
  ])
}
