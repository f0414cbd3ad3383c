import Expectations
import Reactive
import Testing

@Suite struct BatchMachineTests {
  /// The durable copy of a queue, to look at.
  private final class Copy: StoredQueue {
    private let elements: Locked<[Int]>

    init(_ elements: [Int]) { self.elements = Locked(elements) }

    var waiting: [Int] { elements.withLock { $0 } }
    func append(_ value: Int) { elements.withLock { $0.append(value) } }
    func removeFirst() { elements.withLock { _ = $0.removeFirst() } }
    func removeAll() { elements.withLock { $0 = [] } }
  }

  @Test func aBatchIsSentWhenItIsLargeEnoughOrOldEnough() throws {
    let host = TestHost(BatchMachine<Int, NoStorage, NoStorage>(limit: 3, time: .seconds(5)))
    expectNil(host.deadline)
    try expect([1, 2, 3].flatMap { try host.take($0, at: 1) }, equals: [[1, 2, 3]])
    #expect(host.deadline == nil && host.machine.waiting == 0)
    try expect(host.take(4, at: 2), equals: [])
    try expect(host.take(5, at: 4), equals: [])
    expect(host.deadline, equals: 7)
    try expect(host.wake(at: 6), equals: [])
    try expect(host.wake(at: 7), equals: [[4, 5]])
    try expect(host.flush(), equals: [])
    #expect(host.notes.isEmpty)
  }

  @Test func whatWaitedIsContinuedAndTheCopyFollows() throws {
    let copy = Copy([1, 2])
    let host = TestHost(
      BatchMachine(limit: 3, isEarly: true, time: .seconds(5), copy: copy, since: NoStorage()))
    #expect(host.deadline == 5 && host.machine.waiting == 2)
    try expect(host.take(3, at: 1), equals: [[1, 2, 3]])
    expect(host.notes, equals: [.early])
    expect(copy.waiting, equals: [])
    try expect(host.take(4, at: 2), equals: [])
    expect(copy.waiting, equals: [4])
    try expect(host.flush(), equals: [[4]])
    expect(copy.waiting, equals: [])
  }
}
