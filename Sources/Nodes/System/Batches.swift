import JSON

/// Values that have been parsed together, on their way out in batches.
struct Batches {
  var values: [Value] = []
  private var handedOut = 0
  /// Where in the text the values begin.
  private var start = 0

  var isEmpty: Bool { values.isEmpty }

  /// Begins anew, for values that come from here on; all that were before are handed out.
  mutating func begin(at position: Int) {
    values = []
    handedOut = 0
    start = position
  }

  /// The next values, so many at most; nil after the last.
  mutating func next(_ limit: Int) -> [Value]? {
    guard !values.isEmpty else { return nil }
    if handedOut == 0, values.count <= limit {
      defer { values = [] }
      return values
    }
    let end = min(handedOut + limit, values.count)
    defer {
      handedOut = end
      if end == values.count { values = [] }
    }
    return Array(values[handedOut..<end])
  }

  /// Where reading would have to begin again: a byte, and values from there to pass over; `end` is where these end.
  func position(end: Int) -> (offset: Int, values: Int) { values.isEmpty ? (end, 0) : (start, handedOut) }
}
