@testable import Reactive
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
}
