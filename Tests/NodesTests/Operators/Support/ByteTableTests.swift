import Expectations
import Reactive
import Testing

@testable import Nodes
import System

@Suite("Tables of bytes")
struct ByteTableTests {
  @Test("a table is what a dictionary is, whatever is done to it", arguments: 0..<8)
  func likeADictionary(_ seed: UInt64) {
    var dice = SplitMix64(seed: seed)
    var table = ByteTable()
    var expected: [[UInt8]: (value: [UInt8], mark: UInt32)] = [:]
    let keyCount = [3, 200, 5000].randomElement(using: &dice) ?? 3
    let longest = [8, 300, 4000].randomElement(using: &dice) ?? 8
    for step in 0..<20_000 {
      let key = Array("\(Int.random(in: 0..<keyCount, using: &dice))".utf8).dropFirst(step % 97 == 0 ? 9 : 0)
      let bytes = Array(key)
      switch Int.random(in: 0..<100, using: &dice) {
      case 0..<65:
        let length = Int.random(in: 0...longest, using: &dice)
        let value = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: length)
        table.put(bytes, value, mark: UInt32(step))
        expected[bytes] = (value, UInt32(step))
      case 65..<95:
        let removed = table.take(bytes)
        expect(removed, equals: (expected.removeValue(forKey: bytes) != nil))
      case 95..<99: table.packIfWasteful()
      default:
        // A sweep, as at the end of a poll.
        for old in expected.filter({ $0.value.mark % 2 == 0 }).keys {
          expected[old] = nil
          _ = table.take(old)
        }
        table.packIfWasteful()
      }
      if step % 1000 == 0 { compare(table, expected) }
    }
    compare(table, expected)
  }

  private func compare(
    _ table: borrowing ByteTable, _ expected: [[UInt8]: (value: [UInt8], mark: UInt32)]
  ) {
    let count = table.count
    expect(count, equals: expected.count)
    var seen = 0
    var wrong = 0
    table.forEach { entry in
      seen += 1
      let own = expected[Array(entry.key)]
      if own?.value != Array(entry.value) || own?.mark != entry.mark { wrong += 1 }
    }
    expect(seen, equals: expected.count)
    expect(wrong, equals: 0)
    for (key, own) in expected {
      let found = key.withUnsafeBufferPointer { key in table.find(key).map { Array($0.value) } }
      if found != own.value { wrong += 1 }
    }
    expect(wrong, equals: 0)
  }

  @Test("a table of marks of removed entries is still searched to an end")
  func onlyRemoved() {
    var table = ByteTable()
    for number in 0..<100_000 {
      let key = Array("\(number)".utf8)
      table.put(key, [1], mark: 0)
      let removed = table.take(key)
      #expect(removed)
    }
    let count = table.count
    expect(count, equals: 0)
    let found = Array("never".utf8).withUnsafeBufferPointer { table.find($0) != nil }
    #expect(!found)
  }
}

extension ByteTable {
  /// As a snapshot does it.
  fileprivate mutating func put(_ key: [UInt8], _ value: [UInt8], mark: UInt32) {
    key.withUnsafeBufferPointer { key in
      value.withUnsafeBufferPointer { value in
        if let entry = find(key) { update(entry, value, mark: mark) } else { insert(key, value, mark: mark) }
      }
    }
  }

  fileprivate mutating func take(_ key: [UInt8]) -> Bool {
    key.withUnsafeBufferPointer { key in
      guard let entry = find(key) else { return false }
      remove(entry)
      return true
    }
  }
}
