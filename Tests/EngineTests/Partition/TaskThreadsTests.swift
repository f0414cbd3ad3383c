import Expectations
import Reactive

import Testing

@testable import Engine
@testable import JSON

@Suite struct TaskThreadsTests {
  @Test("each piece is done once, and all of them when the call returns")
  func rounds() {
    let threads = TaskThreads(3, of: RunThreads().schedulers(at: .real, clock: nil))
    let done = (0..<16).map { _ in ConditionLock(0) }
    for round in 1...2000 {
      threads.run(16) { piece in done[piece].change { $0 += 1 } }
      #expect(done.allSatisfy { $0.change { $0 } == round })
    }
  }

  @Test("the task of a key never changes: state is divided by it")
  func hash() throws {
    let hash = KeyHash()
    let keys: [Value] = [
      .null, .bool(true), .number(1), "a", "ä", .array([.number(1)]), .record([("a", "b")]),
    ]
    expect(keys.map { hash.task(of: $0, among: 16) }, equals: [0, 1, 8, 2, 2, 2, 6])
    expect(hash.task(of: try Value.parse("1.0"), among: 32), equals: hash.task(of: .number(1), among: 32))
    let (one, other) = (try Value.parse(#"{"a":1,"b":2}"#), try Value.parse(#"{"b":2,"a":1}"#))
    expect(hash.task(of: one, among: 32), equals: hash.task(of: other, among: 32))
    let counts = (0..<32_000).reduce(into: Array(repeating: 0, count: 32)) { counts, number in
      counts[hash.task(of: .string("\(number)"), among: 32)] += 1
    }
    #expect(counts.allSatisfy { 850...1150 ~= $0 })
  }
}
