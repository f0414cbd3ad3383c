import Foundation

/// A made-up recording of polls six hours apart, and what `changes` should say of it.
struct Recording {
  let polls: Int
  /// The recording, as the `replay` source reads it.
  let text: String
  /// The changes, sent two minutes after each poll, as lines of JSON; at the end, waiting ones are sent at once.
  let changes: [String]

  private struct Row: Equatable {
    var id: Int
    var net: String
    var status: String
    var views = 0

    var json: String {
      "{\"id\":\(id),\"name\":\"Launch \(id) | żółw\",\"net\":\"\(net)\",\"status\":\"\(status)\",\"views\":\(views)}"
    }

    func isAsBefore(_ other: Row) -> Bool { net == other.net && status == other.status }
  }

  /// A list of so many launches: nearly each poll something slips, is renamed to another status, or has flown and makes
  /// room for the next; the number of views is another each time, and does not matter.
  init(polls: Int, rows count: Int) {
    var random = Random()
    var rows = (0..<count).map { Row(id: $0, net: Recording.date(day: $0), status: "TBD") }
    var nextID = count
    var polled: [String] = []
    var changes: [String] = []
    for poll in 0..<polls {
      let before = rows
      if poll > 0 {
        for index in rows.indices {
          rows[index].views += 1
          if random.next(40) == 0 { rows[index].net = Recording.date(day: random.next(365)) }
          if random.next(80) == 0 { rows[index].status = ["TBD", "TBC", "Go"][random.next(3)] }
        }
        if random.next(4) == 0 {
          rows.removeFirst()
          rows.append(Row(id: nextID, net: Recording.date(day: nextID % 365), status: "TBD"))
          nextID += 1
        }
        changes += Recording.changes(
          from: before, to: rows, at: poll * 21600, after: poll < polls - 1 ? 120 : 0)
      }
      let at = Recording.time(poll * 21600)
      polled.append("{\"at\":\"\(at)\",\"rows\":[\(rows.map(\.json).joined(separator: ","))]}\n")
    }
    self.polls = polls
    text = polled.joined()
    self.changes = changes
  }

  /// Those of rows that stayed or came, in the order of the rows; then those of rows that went.
  private static func changes(from before: [Row], to after: [Row], at second: Int, after delay: Int)
    -> [String]
  {
    let old = Dictionary(uniqueKeysWithValues: before.map { ($0.id, $0) })
    var found: [(String, Int)] = []
    for row in after {
      if let was = old[row.id] {
        if !row.isAsBefore(was) { found.append(("changed", row.id)) }
      } else {
        found.append(("added", row.id))
      }
    }
    let there = Set(after.map(\.id))
    for row in before where !there.contains(row.id) { found.append(("removed", row.id)) }
    return found.map { type, id in
      "{\"type\":\"\(type)\",\"key\":\(id),\"told\":\"\(time(second + delay))\",\"at\":\"\(time(second))\"}"
    }
  }

  private static func date(day: Int) -> String { time(day * 86400) }

  /// Seconds after the beginning of 2026.
  private static func time(_ seconds: Int) -> String {
    let parts = [seconds / 3600 % 24, seconds / 60 % 60, seconds % 60].map { String(format: "%02d", $0) }
    var (month, day) = (1, seconds / 86400 + 1)
    let lengths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
    while day > lengths[month - 1] {
      day -= lengths[month - 1]
      month += 1
    }
    let date = "2026-" + String(format: "%02d-%02d", month, day)
    return "\(date)T\(parts.joined(separator: ":"))Z"
  }

  /// The same numbers in each run.
  private struct Random {
    var state: UInt64 = 1

    mutating func next(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
  }
}
