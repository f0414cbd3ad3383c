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
}
