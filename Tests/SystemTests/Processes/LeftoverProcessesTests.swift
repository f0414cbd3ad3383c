import Expectations
import Glibc
import Reactive
import Testing

import TestSupport
@testable import System

@Suite(.serialized, .timeLimit(.minutes(30))) struct LeftoverProcessesTests {
  private func start(_ line: String, _ mark: String) throws -> pid_t {
    let none = Descriptor.none
    return try Spawn.start(
      ChildCommand(arguments: ["sh", "-c", line]), environment: ["FLOW_TEST_MARK": mark], input: none,
      output: none, errors: none
    ).process
  }

  private func status(of process: pid_t) -> Int32 {
    var status: Int32 = 0
    _ = waitpid(process, &status, 0)
    return status
  }

  @Test("those with one of the values are killed, with what they have started; others are not")
  func marked() throws {
    let mark = "p/go/\(UInt32.random(in: 0...(.max)))"
    let first = try start("setsid sleep 100 & sleep 100", mark + "-1")
    let other = try start("exec sleep 100", mark + "-11")
    // Before its exec a child has our environment.
    let found = eventually { LeftoverProcesses.end(having: "FLOW_TEST_MARK", among: [mark + "-1"]) > 0 }
    #expect(found)
    expect(status(of: first) & 0x7f, equals: SIGKILL)
    expect(LeftoverProcesses.end(having: "FLOW_TEST_MARK", among: [mark + "-1"]), equals: 0)
    expect(kill(other, 0), equals: 0)
    #expect(eventually { LeftoverProcesses.end(having: "FLOW_TEST_MARK", among: [mark + "-11", "x"]) == 1 })
    expect(status(of: other) & 0x7f, equals: SIGKILL)
    expect(LeftoverProcesses.end(having: "FLOW_TEST_MARK", among: []), equals: 0)
  }
}
