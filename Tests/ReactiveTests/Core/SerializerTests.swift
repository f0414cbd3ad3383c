@testable import Reactive
import Testing

@Suite struct SerializerTests {
  @Test func letsOneInAtATime() {
    let turn = Serializer(0)
    #expect(turn.enter())
    #expect(!turn.enter())
    #expect(turn.isMine)
    turn.leave()
    #expect(!turn.isMine)
    #expect(turn.enter())
    turn.leave()
  }

  @Test func whatIsLeftMeanwhileIsDoneAfterwardsInOrder() {
    let turn = Serializer(())
    let log = Journal<String>()
    turn.pass {
      turn.pass {
        log.note("b")
        turn.pass { log.note("d") }
      }
      turn.pass { log.note("c") }
      log.note("a")
    }
    #expect(log.entries == ["a", "b", "c", "d"])
  }

  @Test func theStateIsSharedByTurns() {
    let turn = Serializer([Int]())
    for number in 1...3 { turn.pass { turn.state.append(number) } }
    turn.pass { #expect(turn.state == [1, 2, 3]) }
  }
}
