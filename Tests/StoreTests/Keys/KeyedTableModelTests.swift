import Expectations
import Reactive
import TestScale
import Testing

@testable import Store

/// Random operations on a table and on a plain model of it, with commits, crashes and reopening between.
@Suite struct KeyedTableModelTests {
  struct Model: Equatable {
    var keys: [[UInt8]] = []
    var values: [[UInt8]: [UInt8]] = [:]

    mutating func remove(_ key: [UInt8]) {
      values[key] = nil
      keys.removeAll { $0 == key }
    }

    mutating func set(_ value: [UInt8], for key: [UInt8]) {
      remove(key)
      keys.append(key)
      values[key] = value
    }
  }

  static func contents(_ table: KeyedTable) -> Model {
    var model = Model()
    table.forEach { model.set($1, for: $0) }
    return model
  }

  @Test(
    "a table is what a plain model says after any operations", arguments: 0..<TestScale.count(8, atLeast: 4))
  func model(seed: Int) throws {
    var dice = SplitMix64(seed: UInt64(seed))
    var folder = try Folder()
    let cache = [0, 500, 4000, 1 << 20].randomElement(using: &dice) ?? 0
    let open = { (folder: Folder) throws -> (StateFile, KeyedTable) in
      let state = try folder.open { $0.tableCacheBytes = cache }
      return (state, try state.table(node: "n", description: "d"))
    }
    var (state, table) = try open(folder)
    var (now, kept) = (Model(), Model())
    for _ in 0..<400 {
      let key = bytes("\(Int.random(in: 0..<24, using: &dice))")
      switch Int.random(in: 0..<100, using: &dice) {
      case 0..<40:
        let value = Array(repeating: UInt8.random(in: 0...255, using: &dice), count: Int(dice.next() % 60))
        table.set(value, for: key)
        now.set(value, for: key)
      case 40..<55:
        expect(table.remove(key), equals: now.values[key])
        now.remove(key)
      case 55..<70: expect(table.value(for: key), equals: now.values[key])
      case 70..<80:
        expect(table.oldest?.key, equals: now.keys.first)
        if let first = now.keys.first {
          if Bool.random(using: &dice) {
            expect(table.remove(first), equals: now.values[first])
          } else {
            table.discard(first)
          }
          now.remove(first)
        }
      case 80..<84: expect(Self.contents(table), equals: now)
      case 84..<85:
        table.removeAll()
        now = Model()
      case 85..<93:
        try state.commit { _ in }
        kept = now
      case 93..<98:
        folder = try folder.snapshot()
        (state, table) = try open(folder)
        now = kept
      default:
        let path = folder
        (state, table) = try open(try Folder())
        (state, table) = try open(path)
        now = kept
      }
      expect(table.count, equals: now.keys.count)
    }
    expect(Self.contents(table), equals: now)
    try expect(state.database.text("PRAGMA integrity_check"), equals: "ok")
  }
}
