import Expectations
@testable import Reactive
import Testing

@Suite struct SerializerTests {
  @Test func letsOneInAtATime() {
    let serializer = Serializer(0)
    #expect(serializer.enter())
    #expect(!serializer.enter())
    #expect(serializer.isMine)
    serializer.leave()
    #expect(!serializer.isMine)
    #expect(serializer.enter())
    serializer.leave()
  }

  @Test func whatIsLeftMeanwhileIsDoneAfterwardsInOrder() {
    let serializer = Serializer(())
    let log = Journal<String>()
    serializer.pass {
      serializer.pass {
        log.note("b")
        serializer.pass { log.note("d") }
      }
      serializer.pass { log.note("c") }
      log.note("a")
    }
    expect(log.entries, equals: ["a", "b", "c", "d"])
  }

  @Test func theStateIsSharedByTurns() {
    let serializer = Serializer([Int]())
    for number in 1...3 { serializer.pass { serializer.state.append(number) } }
    serializer.pass { expect(serializer.state, equals: [1, 2, 3]) }
  }

  /// While others keep sending, one who only wants to leave would not come back.
  @Test func whoSlipsInDoesNothingOfWhatOthersLeave() {
    let serializer = Serializer(())
    let (log, isDone) = (Journal<UInt>(), ConditionLock(false))
    serializer.slipIn {
      #expect(
        startThread(named: "sender") {
          serializer.pass { log.note(Platform.thread) }
          isDone.change { $0 = true }
        })
      // Long enough for the other to wait for its turn; a slower one comes later, which is all right too.
      Platform.nap(nanoseconds: 100_000_000)
      return nil
    }
    _ = isDone.wait { $0 ? true : nil }
    #expect(log.entries.count == 1 && log.entries != [Platform.thread])
    #expect(serializer.enter())
    serializer.leave()
  }

  @Test func whoSlipsInWhileAnotherIsInsideLeavesItsWorkThere() {
    let serializer = Serializer(())
    let log = Journal<String>()
    serializer.pass {
      serializer.slipIn {
        log.note("b")
        return nil
      }
      log.note("a")
    }
    expect(log.entries, equals: ["a", "b"])
  }
}
