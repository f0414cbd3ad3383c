import Expectations
import Foundation
import Store
import Testing

@testable import flow

@Suite struct StateRenameCommandTests {
  private static func pipeline(source: String, step: String, sink: String) -> String {
    """
    name: names
    sources: { \(source): { exec: { command: [cat, rows.jsonl] } } }
    steps: [{ changes: .id, name: \(step) }]
    sinks: { \(sink): { jsonl: log.jsonl } }
    """
  }

  @Test("a renamed node begins without state, which is one line of the log, and the rename gives it back")
  func renamed() throws {
    let place = try Workplace(
      Self.pipeline(source: "a", step: "changes", sink: "log"), input: "")
    try place.write("rows.jsonl", "{\"id\":1,\"v\":1}\n{\"id\":2,\"v\":1}\n")
    try expect(place.run("--once").errors, equals: "")
    try place.write("p.yaml", Self.pipeline(source: "shop", step: "diffs", sink: "news"))
    try place.write("rows.jsonl", "{\"id\":1,\"v\":2}\n{\"id\":2,\"v\":1}\n")
    // A dry run opens no state, so nothing is reported, and nothing is lost.
    try expect(place.run("--once", "--dry-run").errors, equals: "")
    for (old, new, keys) in [("a", "shop", "0 keys"), ("changes", "diffs", "2 keys")] {
      let outcome = try place.flow("state", "rename", "names", old, new)
      #expect(
        outcome.output.hasPrefix("the state of “\(old)” in “names” is that of “\(new)” now: "), "\(outcome)")
      #expect(outcome.status == 0 && outcome.output.hasSuffix("\(keys)\n"), "\(outcome)")
    }
    let outcome = try place.run("--once")
    expect(outcome.status, equals: 0)
    expect(
      place.lines("log.jsonl").count, equals: 1, "the change made meanwhile is reported: \(outcome.errors)")
    #expect(
      outcome.errors.hasPrefix(
        "names: warning: the state of log belongs to no node; news begins without. If it has another name now: "
          + "end this run, then flow state reset names news and flow state rename names log news; if it is gone: "
          + "flow state reset names log"),
      "\(outcome.errors)")
    expect(outcome.errors.split(separator: "\n").count, equals: 1)
    try expect(place.flow("state", "reset", "names", "news", "--yes").status, equals: 0)
    try expect(place.flow("state", "rename", "names", "log", "news").status, equals: 0)
    #expect(try !place.run("--once").errors.contains("belongs to no node"))
    expect(place.lines("log.jsonl").count, equals: 1)
  }

  @Test("a name without state, one that has state, and one that no node can have are errors")
  func wrong() throws {
    let state = try KeptState()
    let unknown = try state.flow("rename", "slips", "chnages", "diffs")
    #expect(unknown.status == 2 && unknown.errors.contains("did you mean “changes”?"), "\(unknown)")
    let taken = try state.flow("rename", "slips", "changes", "dedupe")
    #expect(taken.status == 1 && taken.errors.contains("“dedupe” has state already"), "\(taken)")
    try expect(state.flow("rename", "slips", "changes", "a@b").status, equals: 2)
    try expect(state.flow("rename", "slips", "changes", "diffs").status, equals: 0)
    #expect(try state.read().tables().map(\.node).contains("diffs"))
    try expect(state.flow("rename", "slips", "tell", "say").status, equals: 0)
    try expect(state.read().outbox(sink: "say").count, equals: 2)
  }
}
