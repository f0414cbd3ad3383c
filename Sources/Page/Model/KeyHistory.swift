import JSON
import Language

/// The history of a key: the entries of a log about one thing, and how its times and numbers have moved.
struct KeyHistory {
  /// The newest first.
  let entries: [PageRow]

  /// Nil where a row is not the entry of a log, or the only one about its key, without a picture of what was before.
  init?(of row: PageRow, in snapshot: PageView.Snapshot, _ form: PageForm) {
    guard form.layout == .log, let subject = row.subject else { return nil }
    let found = snapshot.rows.values.filter { $0.subject == subject }
    let (after, before) = (
      row.text(RowFragments.screenshots.after), row.text(RowFragments.screenshots.before)
    )
    guard found.count > 1 || before != nil && before != after else { return nil }
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

extension PageRow {
  /// The subject of an entry of a log; nil for a row that its sink gives a key.
  var subject: Value? {
    guard let parts = key.items, (3...4).contains(parts.count) else { return nil }
    return parts[0]
  }

  /// When it happened, in seconds since 1970.
  fileprivate var moment: Double { time?.seconds ?? changedAt }
}
