@testable import Nodes
import JSON
import Store
import Testing
import Trials

/// The snapshot of `changes`: rows by key.
@Suite struct SnapshotTests {
  @Test(
    "keys that an earlier version has stored as they came are known in any form, also after another start")
  func formerKeys() throws {
    let state = try TemporaryState()
    func table() throws -> (StateFile, KeyedTable) {
      let file = try StateFile(path: state.path, .init(database: .init(sync: .never)))
      return (file, try file.table(node: "changes@in", description: ".id", isOrdered: false))
    }
    do {
      let (file, table) = try table()
      let keys = [#"{"b":2,"a":1}"#, #"["e",{"d":1.0,"c":2}]"#, "1.0", "17", #""text""#, #"{"a":1,"b":2}"#]
      for (number, key) in keys.enumerated() { table.set(Array("\(number)".utf8), for: Array(key.utf8)) }
      try file.commit { _ in }
    }
    for start in 1...2 {
      let (file, table) = try table()
      let snapshot = Snapshot(source: "in", table, isOld: start == 1)
      // Of two that mean one key, the one that has the form of today.
      #expect(snapshot.count == 5)
      for (key, row) in [
        (#"{"b":2,"a":1}"#, 5), (#"{"a":1.0,"b":2}"#, 5), (#"["e",{"c":2,"d":1}]"#, 1), ("1", 2), ("17", 3),
        (#""text""#, 4),
      ] {
        let found = snapshot.note(
          try Value.parse(key), .number(row), bound: 10, isOfPoll: true, keeps: false)
        guard case .same = found else {
          Issue.record("\(key): \(found)")
          continue
        }
      }
      #expect(snapshot.takeUnseen().isEmpty)
      try file.commit { _ in }
    }
  }
}
