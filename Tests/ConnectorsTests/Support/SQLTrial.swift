@testable import Connectors
import JSON
import Store
import System
import TestSupport
import Trials

/// A table of a SQLite file, for a sink `it`.
struct SQLTrial: SQLTrialTable {
  private let folder = Folder()
  var path: String { "\(folder.path)/it.db" }
  var url: String { "sqlite:\(path)" }
  var connection: any SQLConnection { SQLite(path) }

  func make(_ sql: String) throws {
    try Database(foreign: path, to: .make, busyMilliseconds: 100).execute(sql)
  }

  func rows(_ query: String = "select * from t order by 1") throws -> String {
    let query = SQLQuery(text: SQLText(query), timeout: .seconds(5), limit: 1 << 20)
    return Value.array(try SQLite(path).read(query, stop: StopSign()).rows).description
  }

  func lines(_ query: String) throws -> String {
    let query = SQLQuery(text: SQLText(query), timeout: .seconds(5), limit: 1 << 20)
    return try SQLite(path).read(query, stop: StopSign()).rows.map { row in
      var values: [String] = []
      row.forEachMember { _, value in values.append(value.isNull ? "" : value.string ?? value.description) }
      return values.joined(separator: "|")
    }.joined(separator: "\n")
  }
}
