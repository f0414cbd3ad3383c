import Nodes
import Engine
import Language
import Testing

@Suite struct JoinTests {
  private func run(_ step: String, _ input: String, other: String) throws -> Trial.Output {
    try Trial(step, other: "other").run(input, other: other)
  }

  @Test("the latest of the other stream counts, and changes nothing afterwards")
  func latest() throws {
    let output = try run(
      "join: { with: other, key: .k, emit: $other.n }", #"1s {"k": 1}\#n3s {"k": 1}"#,
      other: #"0s {"k": 1, "n": 1}\#n2s {"k": 1, "n": 2}\#n4s {"k": 1, "n": 3}"#)
    #expect(output.lines == ["1s 1", "3s 2"])
  }

  @Test("a key of null joins with nothing")
  func nullKey() throws {
    let output = try run(
      "join: { with: other, key: .k, emit: $other }", #"1s {}"#, other: #"0s {"n": 1}"#)
    #expect(output.lines == ["1s null"])
  }

  @Test("each event of the other stream lives from when it came last")
  func lifetime() throws {
    let output = try run(
      "join: { with: other, key: .k, kind: inner, lifetime: 10s, emit: $other.n }",
      #"15s {"k": 1}\#n15s {"k": 2}\#n19s {"k": 1}"#,
      other: #"0s {"k": 1, "n": 1}\#n1s {"k": 2, "n": 2}\#n9s {"k": 1, "n": 3}"#)
    #expect(output.lines == ["15s 3"])
  }

  @Test("only an object can take a member")
  func noObject() throws {
    let output = try run("join: { with: other, key: . }", "0s 1", other: "")
    #expect(output.lines.isEmpty)
    #expect(output.counts?.errors == 1)
  }

  @Test("as and emit are not both given")
  func check() {
    #expect {
      try Trial("join: { with: other, key: .k, as: a, emit: . }", other: "other")
    } throws: { "\($0)".contains("no effect beside emit") }
  }
}
