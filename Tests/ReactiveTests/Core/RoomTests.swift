import Expectations
import ReactiveTesting
import Testing

@testable import Reactive

@Suite struct RoomTests {
  private final class Waiter: Pausing {
    private let action: @Sendable () -> Void

    init(_ action: @escaping @Sendable () -> Void) {
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
