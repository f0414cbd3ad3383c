import JSON
import Language

/// The history of a key: the entries of a log about one thing, and how its times and numbers have moved.
struct KeyHistory {
  /// The newest first.
  let entries: [PageRow]

  /// Nil where a row is not the entry of a log, or the only one about its key.
  init?(of row: PageRow, in snapshot: PageView.Snapshot, _ form: PageForm) {
    guard form.layout == .log, let subject = row.subject else { return nil }
    let found = snapshot.rows.values.filter { $0.subject == subject }
    guard found.count > 1 else { return nil }
    entries = found.sorted { entry, other in
      if (entry.moment, entry.commit) != (other.moment, other.commit) {
        return (entry.moment, entry.commit) > (other.moment, other.commit)
      }
      return Value.order(entry.key, other.key) > 0
    }
  }

  /// The last commit that has added to it.
  var commit: Int { entries.map(\.commit).max() ?? 0 }

  /// When it begins, in seconds since 1970.
  var start: Double { entries.last?.moment ?? 0 }

  /// The fields whose values are times, or numbers: those that moved most often first.
  var steps: [SteppedField] {
    var fields: [SteppedField] = []
    var others: Set<String> = []
    for entry in entries.reversed() {
      for change in entry.content.member("changes")?.items ?? [] {
        guard let path = change.member("path")?.string, !others.contains(path) else { continue }
        let sides = (change.member("before") ?? .null, change.member("after") ?? .null)
        let precisions = entry.content.member("precisions")
        guard let before = SteppedField.Side(sides.0, precisions?.member("before")?.string),
          let after = SteppedField.Side(sides.1, precisions?.member("after")?.string)
        else {
          others.insert(path)
          fields.removeAll { $0.path == path }
          continue
        }
        let index =
          fields.firstIndex { $0.path == path }
          ?? {
            fields.append(SteppedField(path: path, first: before))
            return fields.count - 1
          }()
        fields[index].steps.append((entry.moment, after))
      }
    }
    let moving = fields.enumerated().filter { $0.element.range != nil }
    return moving.sorted { ($1.element.steps.count, $0.offset) < ($0.element.steps.count, $1.offset) }
      .map(\.element)
  }
}

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
  /// What an entry of a log is about; nil for a row that its sink gives a key.
  var subject: Value? {
    guard let parts = key.items, (3...4).contains(parts.count) else { return nil }
    return parts[0]
  }

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

  /// When it happened, in seconds since 1970.
  fileprivate var moment: Double { time?.seconds ?? changedAt }
}
