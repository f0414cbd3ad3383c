import Expectations
@testable import Nodes
import Engine
import Language
import Testing
import Trials

@Suite struct ScanTests {
  @Test("an update that fails leaves the state, and the event goes to on_error")
  func failure() throws {
    let output = try Trial("scan: { init: 0, update: . + $event }").run(#"0s 1\#n1s "x"\#n2s 2"#)
    expect(output.lines, equals: ["0s 1", "2s 3"])
    expect(output.counts?.errors, equals: 1)
  }

  @Test("the first of several outputs is the state, each output of emit an event")
  func severalOutputs() throws {
    let trial = try Trial(#"scan: { init: 0, update: "(. + 1), 99", emit: "., -." }"#)
    try expect(trial.run("0s 0\n1s 0").lines, equals: ["0s 1", "0s -1", "1s 2", "1s -2"])
  }

  @Test("a bare value is the update, and the state begins with null")
  func shorthand() throws {
    try expect(Trial("scan: . + [$event]").run("0s 1\n1s 2").lines, equals: ["0s [1]", "1s [1,2]"])
  }
}
