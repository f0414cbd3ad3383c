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
    #expect(host.deadline == nil)
    #expect(try [1, 2, 3].flatMap { try host.take($0, at: 1) } == [[1, 2, 3]])
    #expect(host.deadline == nil && host.machine.waiting == 0)
    #expect(try host.take(4, at: 2) == [])
    #expect(try host.take(5, at: 4) == [])
    #expect(host.deadline == 7)
    #expect(try host.wake(at: 6) == [])
    #expect(try host.wake(at: 7) == [[4, 5]])
    #expect(try host.flush() == [])
    #expect(host.notes.isEmpty)
  }

  @Test func whatWaitedIsContinuedAndTheCopyFollows() throws {
    let copy = Copy([1, 2])
    let host = TestHost(
      BatchMachine(limit: 3, isEarly: true, time: .seconds(5), copy: copy, since: NoStorage()))
    #expect(host.deadline == 5 && host.machine.waiting == 2)
    #expect(try host.take(3, at: 1) == [[1, 2, 3]])
    #expect(host.notes == [.early])
    #expect(copy.waiting == [])
    #expect(try host.take(4, at: 2) == [])
    #expect(copy.waiting == [4])
    #expect(try host.flush() == [[4]])
    #expect(copy.waiting == [])
  }
}
