import JSON

/// Values that were parsed together and are returned in batches.
package struct Batches {
  package var values: [Value] = []
  private var handedOut = 0
  /// The offset in the text at which the values begin.
  private var start = 0

  package init() {}

  package var isEmpty: Bool { values.isEmpty }

  /// Begins again with values from an offset on; all earlier ones have been returned.
  package mutating func begin(at position: Int) {
    values = []
    handedOut = 0
    start = position
  }

  /// The next values, at most `count`; nil after the last.
  package mutating func next(_ limit: Int) -> [Value]? {
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

  /// Where reading would have to resume: an offset, and the number of values to skip; `end` is the end of these values.
  package func position(end: Int) -> (offset: Int, values: Int) {
    values.isEmpty ? (end, 0) : (start, handedOut)
  }
}
