import Expectations
import JSON
import TestSupport
import Testing

@Suite struct BudgetTests {
  /// Limits in the proportion of a pipeline's, and small, so that a program reaches them soon.
  private func tight() -> Environment {
    var environment = Environment()
    environment.budget = Budget(steps: 50_000, memory: 2 << 20)
    return environment
  }

  @Test(arguments: [
    "[range(1e12)]", "def f: f; f", "def f: 1 + f; f", "[recurse(.)]", "[repeat(1)]", "def f: [f]; f",
    "reduce repeat(1) as $x (\"a\"; . + .)", "last(range(1e12))", "until(false; [.])",
    "def f(g): f(g | g); f(.)",
    "def f: try f catch f; f", "def f: (f | f); f", "[limit(1e9; repeat(\"abc\"))] | length",
    "def f: f, f; [f]",
    "def f: path(f); f", "def f: .a |= f; f", "reduce range(1e9) as $i (null; .[$i] = 1)",
    "[range(1e9) | tostring] | join(\",\")",
    ".[500000000] = 1", "def f: {a: f}; f", "[.[]?] | until(false; {a: .})",
    "walk(.) | until(false; walk(.))", "@json \"\\(repeat(1))\" | empty",
    "[range(100000)] | combinations | empty", "def f: reduce f as $x (0; 1); f", "label $out | def f: f; f",
    "first(range(10; 1e12) | select(. < 0))",
  ])
  func endsInAClearError(_ program: String) throws {
    let message = try failure(program, "null", tight())
    #expect(
      ["steps", "memory", "too deeply", "too long", "too large"].contains { message?.contains($0) == true }
        || message?.hasPrefix("Cannot") == true, "\(program): \(message ?? "it ended well")")
  }

  @Test func largeTextsAreRefusedBeforeTheyAreMade() throws {
    try expect(failure("\"x\" * 1e10"), equals: "Repeat string result too long")
    try expect(failure("\"x\" * 1e9", "null", tight())?.contains("memory"), equals: true)
  }

  @Test func anErrorOfTheBudgetIsNotCaught() throws {
    try expect(failure("try ([range(1e12)]) catch 1", "null", tight())?.contains("than"), equals: true)
    try expect(
      failure("def f: 1 + f; (f)? // 1", "null", tight()), equals: "the expression recurses too deeply")
  }

  @Test func timeIsCountedByTheClockHandedIn() throws {
    var environment = Environment()
    nonisolated(unsafe) var ticks = 0.0
    environment.budget = Budget(seconds: 5) {
      ticks += 1
      return ticks
    }
    try expect(
      failure("last(range(1e12))", "null", environment), equals: "the expression took longer than 5.0 seconds"
    )
  }

  @Test func aBudgetIsForOneInput() throws {
    let evaluator = try Program("[range(3000)] | length").evaluator(
      {
        var environment = Environment()
        environment.budget = Budget(steps: 5000)
        return environment
      }())
    for _ in 0..<10 { try expect(evaluator.first(.null)?.double, equals: 3000) }
  }

  @Test func deepTryNestsRun() throws {
    let nest = String(repeating: "try ", count: 100) + "error(\"x\")"
    #expect(try outputs(nest).isEmpty)
  }

  @Test func garbageIsNotHeldAgainstAProgram() throws {
    // Far more than the limit in all, little at any one time.
    let program = "reduce range(40000) as $i (0; . + ([range(20)] | length))"
    var environment = Environment()
    environment.budget = Budget(memory: 8 << 20)
    // The size of the process counts, and other tests that run at the same time may grow by more than the limit.
    for _ in 0..<5 where (try? outputs(program, "null", environment)) == ["800000"] { return }
    try expect(outputs(program, "null", environment), equals: ["800000"])
  }

  @Test func keyedStateGrowsLinearly() throws {
    func time(_ count: Int) throws -> Duration {
      let program =
        "reduce range(\(count)) as $i ({seen: {}}; .seen[\"k\\($i)\"] += 1 | .last = $i) | .seen | length"
      return try processorTime {
        let length = try outputs(program)
        expect(length, equals: ["\(count)"])
      }
    }
    let (small, large) = (try time(5_000), try time(50_000))
    #expect(large < small * 40 + .milliseconds(500), "\(small) and \(large)")
  }
}
