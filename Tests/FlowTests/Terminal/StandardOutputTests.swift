import Expectations
import Testing

@testable import flow

/// Commands whose standard output cannot be written.
@Suite struct StandardOutputTests {
  private static let reason = "flow: standard output cannot be written: No space left on device\n"

  /// A pipeline whose test expects a number, and is given 1.
  private static func pipeline(_ number: Int) -> String {
    """
    sources: { in: { stdin: lines } }
    sinks: { heard: console }
    tests: [{ name: t, given: { in: [{ event: 1 }] }, expect: { heard: [{ is: \(number) }] } }]
    """
  }

  @Test(
    "a full disk is a line and an exit status, whatever the command",
    arguments: [
      "version", "help", "--help", "help run", "docs", "docs changes", "nodes", "schema", "check p.yaml",
      "graph p.yaml",
      "test p.yaml", "completions bash", "cluster config", "cluster --help", "new changes", "nodes --json",
    ])
  func fullDisk(arguments: String) throws {
    let place = try Workplace(Self.pipeline(1))
    let outcome = try place.shell("exec \"$0\" \(arguments) > /dev/full")
    expect(outcome.errors, equals: Self.reason)
    #expect(outcome.status == 1)
    // The same command where there is room.
    #expect(try place.shell("exec \"$0\" \(arguments) > out").status == 0 && !place.text("out").isEmpty)
  }

  @Test("eval has the status that jq has then")
  func eval() throws {
    let outcome = try Workplace().shell("exec \"$0\" eval -n '1, 2' > /dev/full")
    expect(outcome.errors, equals: Self.reason)
    #expect(outcome.status == 2)
  }

  @Test("a command that fails anyway keeps its status")
  func failure() throws {
    let place = try Workplace(Self.pipeline(2))
    let outcome = try place.shell("exec \"$0\" test p.yaml > /dev/full")
    #expect(outcome.status == 1 && outcome.errors.hasSuffix(Self.reason))
  }

  @Test("a reader that has gone is no failure, even where its signal is ignored")
  func goneReader() throws {
    let outcome = try Workplace().shell("trap '' PIPE; (\"$0\" docs changes; echo $? >&2) | true")
    expect(outcome.errors, equals: "0\n")
  }
}
