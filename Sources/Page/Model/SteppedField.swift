import JSON

/// A field of a key and the values that it had, one after the other.
struct SteppedField {
  /// A value: a time or a number, or none.
  struct Side {
    let number: Double?
    let text: String

    /// Nil for anything else.
    init?(_ value: Value, _ precision: String?) {
      if value.isNull {
        (number, text) = (nil, "–")
      } else if value.kind == .number, let double = value.double {
        (number, text) = (double, value.shown)
      } else if let written = value.string, written.utf8.count >= 10,
        let time = PageTime(value, precision: precision)
      {
        (number, text) = (time.seconds, time.text)
      } else {
        return nil
      }
    }
  }

  let path: String
  let first: Side
  /// When it had that value, in seconds since 1970, where that is known.
  var start = 0.0
  /// When it changed, in seconds since 1970, and to what.
  var steps: [(at: Double, to: Side)] = []

  /// The path for people.
  var name: String { path.hasPrefix("/") ? String(path.dropFirst()) : path }

  /// The lowest and the highest value; nil where it has none.
  var range: (low: Side, high: Side)? {
    let sides = ([first] + steps.map(\.to)).filter { $0.number != nil }
    guard let low = sides.min(by: { ($0.number ?? 0) < ($1.number ?? 0) }),
      let high = sides.max(by: { ($0.number ?? 0) < ($1.number ?? 0) })
    else { return nil }
    return (low, high)
  }
}

extension PageRow {
  /// How the number that the sink charts has moved: `[[at, number], …]`, in which null is a gap.
  func spark(_ name: String?) -> SteppedField? {
    let points = (content.member("spark")?.items ?? []).compactMap {
      point -> (at: Double, to: SteppedField.Side)? in
      guard let parts = point.items, parts.count == 2, let at = parts[0].double else { return nil }
      return SteppedField.Side(parts[1], nil).map { (at, $0) }
    }
    guard let name, let first = points.first else { return nil }
    return SteppedField(path: name, first: first.to, start: first.at, steps: Array(points.dropFirst()))
  }
}
