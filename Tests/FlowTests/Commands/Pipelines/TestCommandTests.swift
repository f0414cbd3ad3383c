import Expectations
import Foundation
import Testing

/// `flow test`, from outside.
@Suite("flow test")
struct TestCommandTests {
  private func outcome(_ expectation: String) throws -> Outcome {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.yaml")
    let yaml = """
      sources: { input: stdin }
      steps: [{ debounce: 2m }]
      sinks: { heard: null }
      tests:
        - name: the last of a row
          given: { input: [{ at: 0s, event: 1 }, { at: 1m, event: { n: 2 } }] }
          expect: { heard: [\(expectation)] }
      """
    try Data(yaml.utf8).write(to: file)
    return try flow(["test", file.path])
  }

  @Test("what comes as expected passes")
  func passes() throws {
    let outcome = try outcome("{ at: 3m, is: { n: 2 } }")
    expect(outcome.status, equals: 0)
    #expect(outcome.output.contains("ok    the last of a row"))
    #expect(outcome.output.hasSuffix("1 passed, 0 failed\n"))
  }

  @Test("lookups are answered by what a test has under web; what it does not have is an error that says so")
  func web() throws {
    let place = try Workplace(
      #"""
      sources: { input: stdin }
      steps: [{ enrich: { url: 'https://a.org/x/\(.n)', with: '[.n, $answer.m]' } }]
      sinks: { heard: null }
      tests:
        - name: two that are known
          web: { "https://a.org/x/1%2F2": { m: 5 }, "https://a.org/x/3": null }
          given: { input: [{ poll: [{ n: 1/2 }, { n: 3 }] }] }
          expect: { heard: [{ is: [1/2, 5] }, { is: [3, null] }] }
        - name: one that is not
          given: { input: [{ poll: [{ n: 1 }] }] }
          expect: { heard: [{ is: [1, null] }] }
      """#)
    let outcome = try place.flow("test", "p.yaml")
    expect(outcome.status, equals: 1)
    #expect(outcome.output.contains("ok    two that are known"), "\(outcome.output)")
    #expect(
      outcome.output.contains("GET https://a.org/x/1: the test has no response for it; add one under web"))
  }

  @Test(
    "failures show what was expected, what was received, and a diagram of each stream",
    arguments: [
      ("{ at: 4m }", "heard, event 1: received at 3m, not at 4m"),
      ("{ is: { n: 3 } }", "heard, event 1: differs in /n"),
      ("{ where: .n == 5 }", "heard, event 1: the condition is false"),
      ("{ where: .n.x == 5 }", "heard, event 1: the condition fails: Cannot index number"),
      ("", "heard: unexpected event"),
      ("{ at: 3m }, { at: 5m }", "heard, event 2: no event; expected at 5m"),
    ])
  func fails(_ expectation: String, _ message: String) throws {
    let outcome = try outcome(expectation)
    expect(outcome.status, equals: 1)
    #expect(outcome.output.contains("FAIL  the last of a row"))
    #expect(outcome.output.contains(message), "\(outcome.output)")
    #expect(outcome.output.contains("debounce"))
    #expect(outcome.output.contains("b: {\"n\":2}"))
  }

  @Test(
    "a test may have vars of its own, of those that the pipeline has, and only the pipeline itself is run with others"
  )
  func vars() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "a.yaml")
    func outcome(_ vars: String) throws -> Outcome {
      let yaml = """
        vars: { least: 2, wait: 1m }
        sources: { input: stdin }
        steps: [filter: .n >= $vars.least, debounce: { for: $vars.wait }]
        sinks: { heard: null }
        tests:
          - name: as it is
            given: { input: [{ at: 0s, event: { n: 1 } }, { at: 1s, event: { n: 2 } }] }
            expect: { heard: [{ at: 1m1s, is: { n: 2 } }] }
          - name: with others
            vars: \(vars)
            given: { input: [{ at: 0s, event: { n: 1 } }] }
            expect: { heard: [{ at: 10s, is: { n: 1 } }] }
        """
      try Data(yaml.utf8).write(to: file)
      return try flow(["test", file.path])
    }
    let right = try outcome("{ least: 1, wait: 10s }")
    #expect(right.output.hasSuffix("2 passed, 0 failed\n"), "\(right.output) \(right.errors)")
    let unknown = try outcome("{ lest: 1 }")
    expect(unknown.status, equals: 2)
    #expect(
      unknown.errors.contains("a.yaml:10:13: the pipeline has no “lest” among its vars"), "\(unknown.errors)")
    #expect(unknown.errors.contains("least"))
    let wrong = try outcome("{ wait: soon }")
    expect(wrong.status, equals: 2)
    #expect(wrong.errors.contains("soon"), "\(wrong.errors)")
  }

  @Test("a pipeline with a mistake is not tested")
  func mistakes() throws {
    let outcome = try outcome("{ at: soon }")
    expect(outcome.status, equals: 2)
    #expect(outcome.errors.contains("is no"), "\(outcome.errors)")
  }
}
