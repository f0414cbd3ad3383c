import Expectations
import Testing

@testable import Store

@Suite struct KeyedEntriesTests {
  /// Puts bytes under a key, and answers the number of the entry before.
  private func add(_ value: String, _ key: String, to entries: inout KeyedEntries) -> Int? {
    StateKey.of(bytes(key)) { key in
      bytes(value).withUnsafeBufferPointer { entries.add(.bytes($0), size: $0.count, for: key) }
    }
  }

  private func value(_ key: String, in entries: KeyedEntries) -> String? {
    StateKey.of(bytes(key)) { key in
      guard let number = entries.find(key) else { return nil }
      return entries.found(number).content.map { String(decoding: $0.bytes, as: UTF8.self) }
    }
  }

  @Test("the last entry of a key is found, and the ones before it are known to be of the past")
  func newest() {
    var entries = KeyedEntries()
    expectNil(value("a", in: entries))
    let before = [add("1", "a", to: &entries), add("", "", to: &entries), add("22", "a", to: &entries)]
    expect(before, equals: [nil, nil, 0])
    #expect(value("a", in: entries) == "22" && value("", in: entries) == "" && value("b", in: entries) == nil)
    #expect(entries.count == 3 && entries.keyCount == 2)
    #expect(!entries[0].isCurrent && entries[2].isCurrent)
  }

  @Test("one that was forgotten is found no more, and its key can come again")
  func forgotten() throws {
    var entries = KeyedEntries()
    for number in 0..<100 { _ = add("\(number)", "k\(number)", to: &entries) }
    entries.forget(7)
    expectNil(value("k7", in: entries))
    let before = add("again", "k7", to: &entries)
    expectNil(before)
    for number in 0..<3000 { _ = add("\(number)", "l\(number)", to: &entries) }
    #expect(value("k7", in: entries) == "again" && value("k8", in: entries) == "8")
  }

  @Test("a copy keeps its entries, whatever is added to the other")
  func copies() {
    var entries = KeyedEntries()
    for number in 0..<50 { _ = add("\(number)", "\(number)", to: &entries) }
    let copy = entries
    for number in 0..<5000 { _ = add("other", "\(number)", to: &entries) }
    #expect(value("49", in: copy) == "49" && value("50", in: copy) == nil)
    expect(value("49", in: entries), equals: "other")
  }

  @Test("a value as large as many pieces of memory lies whole between others")
  func large() {
    var entries = KeyedEntries()
    let long = String(repeating: "x", count: 3 << 20)
    _ = add("before", "a", to: &entries)
    _ = add(long, "b", to: &entries)
    _ = add("after", "c", to: &entries)
    #expect(value("a", in: entries) == "before" && value("c", in: entries) == "after")
    expect(value("b", in: entries), equals: long)
  }
}
