import Expectations
@testable import Nodes
import Engine
import Language
import Testing
import Trials

@Suite struct BatchTests {
  @Test("whichever comes first ends the batch")
  func whicheverFirst() throws {
    let trial = try Trial("batch: { count: 2, time: 10s, poll: true }")
    try expect(trial.run("0s 1\n1s 2\n5s 3\n20s 4").lines, equals: ["1s [1,2]", "15s [3]", "30s [4]"])
    let polled = try trial.run("0s 1\n0s 2\n0s 3\n0s poll\n1s poll\n2s 4\n2s poll", showsPolls: true)
    expect(polled.lines, equals: ["0s [1,2]", "0s [3]", "0s poll", "1s poll", "2s [4]", "2s poll"])
  }

  @Test("the time is counted from the first event of each batch")
  func timeOfEachBatch() throws {
    let lines = try Trial("batch: { count: 2, time: 10s }").run("0s 1\n1s 2\n2s 3\n13s 4").lines
    expect(lines, equals: ["1s [1,2]", "12s [3]", "23s [4]"])
  }

  @Test("what is left is sent when the stream ends")
  func end() throws {
    try expect(Trial("batch: 5").run("0s 1\n1s 2\n3s end").lines, equals: ["3s [1,2]"])
    #expect(try Trial("batch: 5").run("3s end").lines.isEmpty)
  }

  @Test("what is left is kept, and told, when the pipeline is stopped")
  func stop() throws {
    let output = try Trial("batch: 5").run("0s 1\n1s 2")
    #expect(output.lines.isEmpty)
    expect(output.outcome.messages.map(\.message), equals: ["2 events were still waiting"])
  }

  @Test("a batch that nothing would end is refused")
  func check() {
    #expect { try Trial("batch: { bound: 5 }") } throws: { "\($0)".contains("when a batch is complete") }
    #expect { try Trial("batch: 2000000") } throws: { "\($0)".contains("the most is 1000000") }
  }
}
