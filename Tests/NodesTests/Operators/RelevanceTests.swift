import Expectations
@testable import Nodes
import Engine
import Language
import Reactive
import Testing
import Trials

@Suite struct RelevanceTests {
  @Test(
    "names as they are written mean what the expressions mean that compute them",
    arguments: [
      "{ watch: [.a, .b.c] }", "{ ignore: [.a, .b.c] }", "{ watch: [.b], ignore: [.b.c] }",
      "{ tolerance: { .b.c: 2 } }", "{ watch: [.b.c.d, .a] }",
    ], 1...4 as ClosedRange<UInt64>)
  func computed(_ options: String, _ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var input = ""
    for poll in 0..<40 {
      for id in 0..<4 {
        let a = ["1", "2", "null", "[1]", "[2]", #"{"x": 1}"#].randomElement(using: &random) ?? ""
        let b = [
          "null", #""s""#, "[3]", #"{"c": 1}"#, #"{"c": 4}"#, #"{"c": {"d": 1}}"#, #"{"c": {"d": 2}}"#,
        ]
        .randomElement(using: &random)
        input += "\(poll)s {\"id\": \(id), \"a\": \(a), \"b\": \(b ?? "")}\n"
      }
      input += "\(poll)s poll\n"
    }
    func outcome(_ options: String) throws -> ([String], Int) {
      let output = try Trial("changes: { key: .id, \(options.dropFirst())").run(input)
      return (output.lines, output.outcome.messages.count)
    }
    let plain = try outcome(options)
    let computed = options.replacing(".b.c.d", with: "(.b | .c | .d)").replacing(".b.c", with: "(.b | .c)")
      .replacing(".a", with: "(.a)").replacing("[.b]", with: "[(.b)]")
    #expect(try outcome(computed) == plain)
    #expect(!plain.0.isEmpty)
  }
}
