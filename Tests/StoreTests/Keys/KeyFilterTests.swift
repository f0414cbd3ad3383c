import Expectations
import Reactive
import Testing

@testable import Store

@Suite struct KeyFilterTests {
  @Test("every key that was noted may be there, in each layer, and few others")
  func membership() {
    var dice = SplitMix64(seed: 1)
    var filter = KeyFilter()
    #expect(!filter.mayHave(dice.next()))
    let hashes = (0..<200_000).map { _ in dice.next() }
    let noted = hashes.count { filter.insert($0) }
    expect(noted, equals: hashes.count)
    #expect(hashes.allSatisfy { filter.mayHave($0) })
    let others = (0..<100_000).count { _ in filter.mayHave(dice.next()) }
    #expect(others < 8000)
  }

  @Test(
    "a table that was opened empty finds every key it has kept, over commits and after all were forgotten")
  func table() throws {
    let folder = try Folder()
    let state = try folder.open { $0.tableCacheBytes = 0 }
    let table = try state.table(node: "n", description: "")
    for round in 0..<2 {
      for part in 0..<4 {
        for number in 0..<500 { table.set([1], for: bytes("\(round) \(part) \(number)")) }
        try state.commit { _ in }
        for number in 0..<500 {
          expect(table.value(for: bytes("\(round) \(part) \(number)")), equals: [1])
          expectNil(table.value(for: bytes("\(round) \(part) \(number)?")))
        }
      }
      expect(table.count, equals: 2000)
      table.removeAll()
      table.set([2], for: bytes("0 0 0"))
      try state.commit { _ in }
      #expect(table.value(for: bytes("0 0 0")) == [2] && table.value(for: bytes("0 0 1")) == nil)
      table.remove(bytes("0 0 0"))
    }
  }
}
