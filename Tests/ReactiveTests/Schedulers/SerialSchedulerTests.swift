import Expectations
@testable import Reactive
import ReactiveTesting
import Testing

@Suite struct SerialSchedulerTests {
  @Test func stoppedItRunsNothingElse() {
    let lane = SerialScheduler(name: "lane")
    let gate = Flag()
    let stopped = Flag()
    let after = Flag()
    lane.perform { _ = eventually { gate.isRaised } }
    lane.perform {
      lane.stop()
      stopped.raise()
    }
    lane.perform { after.raise() }
    gate.raise()
    #expect(eventually { stopped.isRaised })
    #expect(!eventually(patience: 0.1) { after.isRaised })
  }

  @Test func aThreadThatComesAfterItsEndIsNotTakenForIt() {
    let confused = Flag()
    for _ in 0..<20 {
      let lane = SerialScheduler(name: "lane")
      let started = Flag()
      lane.perform { started.raise() }
      #expect(eventually { started.isRaised })
      lane.stop()
      _ = eventually(patience: 0.005) { false }
      inThreads(4) { _ in if lane.isCurrent { confused.raise() } }
    }
    #expect(!confused.isRaised)
  }

  @Test func theTokenOfATimerEndsWhenItHasRun() {
    let lane = SerialScheduler(name: "lane")
    let log = Journal<String>()
    let gate = Flag()
    lane.perform { _ = eventually { gate.isRaised } }
    let timer = lane.schedule(after: .zero) { log.note("work") }
    timer.onDispose { log.note("end") }
    gate.raise()
    #expect(eventually { log.count == 2 })
    expect(log.entries, equals: ["work", "end"])
  }
}
