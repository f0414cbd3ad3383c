import Expectations
import JSON
import Testing

/// Errors of a running program say where in its text they arose.
@Suite struct LocationTests {
  @Test(arguments: [
    (".a | .b.c", "{\"a\":{\"b\":1}}", ".b.c"),
    ("1 + ({} - 1)", "null", "({} - 1)"),
    ("map(. + \"x\")", "[1]", ". + \"x\""),
    ("def f: .a[0]; f", "{\"a\":1}", ".a[0]"),
    ("[.[] | tonumber]", "[\"1\",\"x\"]", "tonumber"),
    ("{a: error(\"no\")}", "null", "error"),
    ("path(.a, (.b | .[0]))", "{\"b\":{}}", ".[0]"),
    (".[1:] = 3", "[1,2]", ".[1:]"),
    ("try error(1) catch (. | .x)", "null", ".x"),
    ("limit(3; .[])", "5", ".[]"),
    ("{(.): 2}", "1", "{(.): 2}"),
    ("@csv", "{}", "@csv"),
    ("-\"a\"", "null", "-\"a\""),
  ])
  func theInnermostExpressionThatFailedIsNamed(_ program: String, _ input: String, _ culprit: String) throws {
    let location = try #require(try failureLocation(program, input))
    let excerpt = location.excerpt.split(separator: "\n").map { $0.dropFirst(4) }
    let (line, carets) = (try #require(excerpt.first), try #require(excerpt.last))
    let start = carets.prefix { $0 == " " }.count
    expect(String(line.dropFirst(start).prefix(carets.count - start)), equals: culprit)
    expect(location.column, equals: start + 1)
  }

  @Test func linesAreCounted() throws {
    let location = try #require(try failureLocation("1 as $x\n| .a\n| .b", "{\"a\":3}"))
    expect(location.line, equals: 3)
    expect(location.column, equals: 3)
    expect(location.source, equals: "<top-level>")
  }

  @Test func aLibraryIsNamed() throws {
    let program = try Program("f", library: Library([("lib/rows.jq", "def f: .a | keys;")]))
    do {
      _ = try program.outputs(try Value.parse("{\"a\":1}"))
      Issue.record("it did not fail")
    } catch EvaluationError.error(_, let location) {
      expect(location?.source, equals: "lib/rows.jq")
      expect(location?.column, equals: 13)
    }
  }

  @Test func whatIsCaughtStaysCaught() throws {
    try expect(outputs("[.[] | try (. + 1) catch \"no\"]", "[1,\"a\"]"), equals: ["[2,\"no\"]"])
    try expect(outputs("[.[] | (.a)?]", "[1,{\"a\":2}]"), equals: ["[2]"])
    try expect(
      outputs("[label $f | .[] | if . > 1 then ., break $f else . end]", "[1,2,3]"), equals: ["[1,2]"])
    try expectNil(failure("try (.[] | error(\"down\")) catch .", "[1]"))
    try expect(failure("(try .[] catch .) | error(\"down\")", "[1]"), equals: "down")
  }

  private func failureLocation(_ program: String, _ input: String) throws -> Location? {
    do {
      _ = try outputs(program, input)
    } catch EvaluationError.error(_, let location) {
      return location
    }
    return nil
  }
}
