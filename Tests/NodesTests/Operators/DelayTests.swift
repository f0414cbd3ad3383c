import Expectations
@testable import Nodes
import Engine
import Language
import Testing
import Trials

@Suite struct DelayTests {
  @Test("the ends of polls are as late as their events, and in order")
  func polls() throws {
    let input = "0s 1\n0s poll\n1s poll\n2s 2\n2s poll"
    let lines = try Trial("delay: 10s").run(input, showsPolls: true).lines
    expect(lines, equals: ["10s 1", "10s poll", "11s poll", "12s 2", "12s poll"])
  }

  @Test("what waits is sent at once when the stream ends")
  func end() throws {
    try expect(Trial("delay: 10s").run("0s 1\n5s 2\n12s end").lines, equals: ["10s 1", "12s 2"])
  }

  @Test("the end of a poll that is pushed out goes in its turn")
  func bound() throws {
    let lines = try Trial("delay: { for: 10s, bound: 1 }")
      .run("0s 1\n0s poll\n1s 2\n1s poll", showsPolls: true).linesDespiteTrouble
    expect(lines, equals: ["0s 1", "1s poll", "1s 2", "11s poll"])
  }
}
