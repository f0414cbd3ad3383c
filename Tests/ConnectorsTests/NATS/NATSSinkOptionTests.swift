import System
import Testing
import Trials

/// The options of a `nats` sink, one of which had another name.
@Suite struct NATSSinkOptionTests {
  private func problems(_ options: String) -> String {
    SinkBench.problems("it:\n  nats: { subject: x, \(options) }")
  }

  @Test("window is still taken for concurrency, in its bounds, and not beside it")
  func window() {
    #expect(problems("window: 64") == "" && problems("concurrency: 64") == "")
    #expect(problems("window: 0").has("1"))
    for both in ["window: 64, concurrency: 1", "concurrency: 1, window: 64"] {
      #expect(problems(both).has("“window” is another name of “concurrency”, which is given too"))
    }
  }
}
