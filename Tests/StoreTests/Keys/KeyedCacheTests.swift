import Expectations
import Testing

@testable import Store

/// What a cache holds, and what it lets go.
@Suite struct KeyedCacheTests {
  /// A value that is counted while it is alive.
  private final class Counted: Storable, Sendable {
    private let alive: Alive

    init(_ alive: Alive) {
      self.alive = alive
      alive.change(by: 1)
    }
    convenience init?(stored bytes: [UInt8]) { nil }
    deinit { alive.change(by: -1) }

    var stored: [UInt8] { [] }
    var storedSize: Int { 256 }
  }

  private final class Alive: @unchecked Sendable {
    private(set) var count = 0
    func change(by number: Int) { count += number }
  }

  private func insert(_ value: [UInt8], _ key: Int, into cache: inout KeyedCache) {
    StateKey.of(bytes("key \(key)")) { key in
      _ = value.withUnsafeBufferPointer { cache.insert(.bytes($0), for: key, size: value.count) }
    }
  }

  private func value(_ key: Int, in cache: inout KeyedCache) -> [UInt8]? {
    StateKey.of(bytes("key \(key)")) { cache.find($0)?.content?.bytes }
  }

  @Test("a key that is written again and again takes no more room than a few of its values")
  func again() {
    var cache = KeyedCache(bytes: 8 << 20)
    for round in 0..<2000 {
      for key in 0..<40 { insert(Array(repeating: UInt8(round % 251), count: 1000), key, into: &cache) }
    }
    #expect(cache.bytes < 200_000, "\(cache.bytes)")
    for key in 0..<40 {
      expect(value(key, in: &cache), equals: Array(repeating: UInt8(1999 % 251), count: 1000))
    }
  }

  @Test("a value in memory goes as soon as another takes its place")
  func made() {
    let alive = Alive()
    var cache = KeyedCache(bytes: 8 << 20)
    for number in 0..<5000 {
      StateKey.of(bytes("key \(number % 7)")) { key in
        _ = cache.insert(.made(Counted(alive)), for: key, size: 256)
      }
      #expect(alive.count <= 7)
    }
    cache.removeAll()
    expect(alive.count, equals: 0)
  }

  @Test("of more than it may hold the last are kept, each as it was written last")
  func newest() {
    var cache = KeyedCache(bytes: 1 << 20)
    for number in 0..<10_000 {
      insert(bytes("\(number)" + String(repeating: " ", count: 400)), number, into: &cache)
    }
    for number in stride(from: 0, to: 10_000, by: 3) {
      insert(bytes("again \(number)"), number, into: &cache)
    }
    #expect(cache.bytes <= 2 << 20, "\(cache.bytes)")
    expectNil(value(1, in: &cache))
    expect(value(9999, in: &cache), equals: bytes("again 9999"))
  }
}
