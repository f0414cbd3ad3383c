import Foundation
import Testing

@testable import flow

/// `flow stop` against real processes.
@Suite("flow stop", .timeLimit(.minutes(30)))
struct StopCommandTests {
  private static func pipeline(_ name: String) -> String {
    """
    name: \(name)
    sources: { in: { file: { path: in.jsonl, follow: true } } }
    sinks: { out: { jsonl: \(name).jsonl } }
    """
  }

  @Test(
    "a run ends when it is named by its name or its file, and the command waits for that",
    arguments: ["a", "p.yaml"])
  func stop(operand: String) throws {
    let place = try Workplace(Self.pipeline("a"))
    try place.write("in.jsonl", "1\n")
    let run = try place.start()
    try run.waitForLines(1, in: "a.jsonl")
    let seen = try place.flow("stop", operand)
    #expect(seen.status == 0 && seen.output == "stopped a\n", "\(seen)")
    #expect(try run.end().status == 0)
    let again = try place.flow("stop", operand)
    #expect(again.status == 1 && again.errors == "flow stop: a does not run\n", "\(again)")
  }

  @Test("a run of several pipelines ends as a whole, if all are named")
  func several() throws {
    let place = try Workplace(Self.pipeline("a"))
    try place.write("in.jsonl", "1\n")
    try place.write("b.yaml", Self.pipeline("b"))
    let run = try place.start("b.yaml")
    try run.waitForLines(1, in: "b.jsonl")
    try run.waitForLines(1, in: "a.jsonl")
    let one = try place.flow("stop", "b")
    #expect(one.status == 1 && one.errors.contains("the run of b also runs a, and ends as a whole"), "\(one)")
    #expect(try place.flow("stop", "b", "a").status == 0)
    #expect(try run.end().status == 0)
  }
}
