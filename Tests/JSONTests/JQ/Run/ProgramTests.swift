import Expectations
import JSON
import Reactive
import Testing

/// An evaluator runs on one input after the other, and remembers where names were.
@Suite struct ProgramTests {
  private static let programs = [
    ".a", ".a.b", ".b.a.c", "{a, b: .b.c}", "{a, b, c, d}", "{x: .a.b, y: .b.a, z: .c}", ".a.b == 7",
    "select(.a == \"x\")",
    ".a // .b.a", "{a, b} | del(.a)", "{a, b} | .b", ".b as {a: $x, b: $y} | [$x, $y]", ".a |= 1",
    "del(.b.a)", ".c += 1",
    "[.a, .b, .c][]", "(.a, .b) | .c", "if .a then .b.a else .c end", "path(.a.b)", "has(\"a\")",
    "{a: .a} == {a: .b}",
  ]

  @Test("what it answers does not depend on the inputs before", arguments: programs)
  func forgets(program: String) throws {
    var dice = SplitMix64(seed: UInt64(program.utf8.count))
    func object(_ level: Int) -> String {
      let members = ["a", "b", "c", "d"].shuffled(using: &dice).prefix(Int.random(in: 0...4, using: &dice))
      let texts = members.map { name in
        let choice = Int.random(in: 0..<7, using: &dice)
        let value =
          choice < 3 && level < 3
          ? object(level + 1) : ["[]", "7", "\"x\"", "[{\"a\":1}]", "null", "{}", "true"][choice]
        return "\"\(name)\":\(value)"
      }
      return "{\(texts.joined(separator: ","))}"
    }
    let compiled = try Program("try (\(program)) catch .")
    let evaluator = compiled.evaluator()
    for _ in 0..<600 {
      // Every other one was made by a program, as behind `map`.
      var input = try Value.parse(object(0))
      if Bool.random(using: &dice) { input = try Program("{a, b: .b.a, c, d: .a.d}?, .").outputs(input)[0] }
      var outputs: [Value] = []
      try evaluator.run(input) { outputs.append($0) }
      try expect(outputs, equals: compiled.outputs(input), "\(program) of \(input)")
      try expect(outputs, equals: compiled.outputs(Value.parse(input.description)), "\(program) of \(input)")
    }
  }
}
