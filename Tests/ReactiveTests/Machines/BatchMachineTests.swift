import Reactive
import Testing

@Suite struct BatchMachineTests {
  /// The durable copy of a queue, to look at.
  private struct Copy: StoredQueue {
    var waiting: [Int] = []

    mutating func append(_ value: Int) { waiting.append(value) }
    mutating func removeFirst() { waiting.removeFirst() }
    mutating func removeAll() { waiting = [] }
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
    let machine = BatchMachine(
      limit: 3, isEarly: true, time: .seconds(5), copy: Copy(waiting: [1, 2]), since: NoStorage())
    let host = TestHost(machine)
    #expect(host.deadline == 5 && host.machine.waiting == 2)
    #expect(try host.take(3, at: 1) == [[1, 2, 3]])
    #expect(host.notes == [.early])
    #expect(try host.take(4, at: 2) == [])
    #expect(try host.flush() == [[4]])
  }
}
