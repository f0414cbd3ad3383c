import Expectations
import Testing

@testable import JSON

@Suite("The names that programs use")
struct NameUsageTests {
  @Test(
    "members that are read by a constant name, with those that may be absent",
    arguments: [
      ("$v.a.b > 1", ["a.b"]), ("$v[\"a\"]", ["a"]), (".[$v.a]", ["a"]), ("$v | .a", []), ("$v[.a]", []),
      ("$v.a // $v.b", ["a?", "b"]), ("if $v.a then $v.b else 0 end", ["a?", "b"]), ("$v.a == null", ["a?"]),
      ("{a: 1} as $v | $v.a", []), ("def f($v): $v.a; f({}) , $v.b", ["b"]), ("\"x \\($v.a)\"", ["a"]),
      ("reduce .[] as $v (0; . + $v.a)", []), ("try $v.a", ["a?"]), ("$v.a?", ["a?"]),
    ])
  func reads(_ program: String, _ expected: [String]) throws {
    let survey = try #require(NameUsage(program))
    expect(
      survey.reads.map { $0.path.joined(separator: ".") + ($0.mayBeAbsent ? "?" : "") }, equals: expected)
  }

  @Test(
    "conditions that do not depend on their input",
    arguments: [
      (".a == 1", nil), (".a = 1", .assignment), (".b or (.a = 1)", .assignment), (".a += 1", .update),
      ("\"x\"", .constant(true)), ("1 > 2", .constant(false)), ("null | not", .constant(false)),
      ("(.a = 1) | .b", nil), ("[.a]", nil), ("$v", nil),
    ] as [(String, NameUsage.Flaw.Kind?)])
  func conditions(_ program: String, _ expected: NameUsage.Flaw.Kind?) throws {
    try expect(#require(NameUsage(program)).conditions.first?.kind, equals: expected)
  }

  @Test(
    "arguments of path that are computed, not found; a definition may find what a builtin of its name computes",
    arguments: [
      (".a", []), (".a.b[0]?, .c[] // .d", []), ("getpath([\"a\"]) | select(.x == 1)", []),
      ("if .a > 1 then .b else .c end", []), (".a as $x | .b[$x]", []), (".a | first, last", []),
      (".a + 1", [".a + 1"]), (".a | length", ["length"]), ("(.a, 2).b", ["2"]), (".a // \"x\"", ["\"x\""]),
      ("if .a then .b else [] end", ["[]"]), ("map(.a)", ["map"]), (".a = 1", [".a = 1"]),
    ])
  func computed(_ argument: String, _ expected: [String]) throws {
    let program = "path(\(argument))"
    let survey = try #require(NameUsage(program))
    let bytes = Array(program.utf8)
    expect(survey.computed.map { String(decoding: bytes[$0], as: UTF8.self) }, equals: expected)
    #expect(try #require(NameUsage("def length: .a; path(length)")).computed.isEmpty)
  }

  @Test("the environment, unless a definition of that name hides it")
  func environment() throws {
    try expect(
      #require(NameUsage("env.A, $ENV[\"B\"], env")).environment.map(\.name), equals: ["A", "B", nil])
    #expect(try #require(NameUsage("def env: 1; env")).environment.isEmpty)
    #expect(try #require(NameUsage("env", library: Library([("", "def env: 1;")]))).environment.isEmpty)
    expectNil(NameUsage("|"))
  }

  @Test(
    "members of the input are those that are read of it for certain",
    arguments: [
      (".a.b", ["a.b"]), (".a // .b", ["b"]), ("map(.a)", []), ("select(.a == 1)", ["a"]),
      (".a[] | .b", ["a"]),
      ("any(.a)", []), ("any(.a[]; .b == 1)", ["a"]), ("all(.a[]; .b)", ["a"]), ("sub(.a; .b)", ["a"]),
      ("test(.a; .b)", ["a", "b"]), ("{x: .a}", ["a"]),
    ])
  func members(_ program: String, _ expected: [String]) throws {
    let found = try #require(NameUsage(program)).members.filter { !$0.mayBeAbsent }
    expect(found.map { $0.path.joined(separator: ".") }, equals: expected)
  }
}
