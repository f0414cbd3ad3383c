import Expectations
import ReactiveTesting
import Testing

@testable import Reactive

@Suite struct RoomTests {
  private final class Waiter: Pausing {
    let isDisposed: Bool
    private let action: @Sendable () -> Void

    init(isDisposed: Bool = false, _ action: @escaping @Sendable () -> Void) {
      self.isDisposed = isDisposed
      self.action = action
    }

    func goOn() { action() }
  }

  @Test func whatWaitsGoesOnInItsOrderAsLongAsThereIsRoom() {
    let room = Room(2)
    let log = Journal<Int>()
    room.occupy()
    #expect(!room.wait(Waiter { log.note(0) }), "there is room")
    room.occupy()
    for number in 1...3 {
      #expect(
        room.wait(
          Waiter {
            log.note(number)
            room.occupy()
          }))
    }
    #expect(!room.serve())
    room.vacate()
    #expect(room.serve())
    expect(log.entries, equals: [1])
    room.vacate()
    room.vacate()
    #expect(room.serve())
    expect(log.entries, equals: [1, 2, 3])
    #expect(!room.serve())
  }

  @Test func whatWaitsIsReleasedAtTheEnd() {
    let room = Room(0)
    weak var waiter: Waiter?
    do {
      let own = Waiter {}
      waiter = own
      #expect(room.wait(own))
    }
    #expect(waiter != nil)
    room.close()
    expectNil(waiter)
  }

  @Test func withoutRoomFurtherDownThereIsNone() {
    let last = Room(1)
    let first = Room(1, before: last)
    let log = Journal<String>()
    last.occupy()
    #expect(first.isFull)
    #expect(first.wait(Waiter { log.note("last") }), "it waits further down")
    #expect(!first.serve())
    first.occupy()
    #expect(first.wait(Waiter { log.note("first") }))
    first.vacate()
    #expect(first.serve(), "what waits here looks further down by itself")
    expect(log.entries, equals: ["first"])
    last.vacate()
    #expect(last.serve())
    expect(log.entries, equals: ["first", "last"])
    #expect(!first.isFull)
  }

  @Test func thoseWhoseSubscriptionIsOverAreRemoved() {
    let last = Room(0)
    let rooms = [Room(0, before: last), last]
    let log = Journal<Int>()
    for room in rooms {
      #expect(room.wait(Waiter(isDisposed: true) { log.note(0) }))
      #expect(room.wait(Waiter { log.note(1) }))
    }
    rooms[0].tearDown(0)
    for room in rooms {
      room.vacate()
      room.serve()
    }
    expect(log.entries, equals: [1, 1])
  }

  @Test func noWaiterIsLeftInTheLine() {
    let room = Room(1)
    let gone = Tally()
    let isBack = inThreads(2) { index in
      for _ in 0..<20_000 {
        if index == 0 {
          room.occupy()
          if !room.wait(Waiter { gone.add() }) { gone.add() }
        } else {
          while !room.isFull {}
          room.vacate()
          room.serve()
        }
      }
    }
    #expect(isBack)
    expect(gone.value, equals: 20_000)
  }
}
