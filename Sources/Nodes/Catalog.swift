import Pipeline

extension Catalog {
  /// Every node of flow, in the order in which they are listed.
  public static let all = Catalog([
    // sources
    stdin,
    // steps
    map, filter,
    batch, window, scan, join, delay, remind, rateLimit, timeout,
    // sinks
    jsonl, null,
  ])
}
