import Expectations
import JSON
import Testing

@Suite struct SyntaxTests {
  @Test(arguments: [
    Case("1 + 2 * 3 - 4 / 2", "null", "5"),
    Case("1, 2 | . * 10", "null", "10", "20"),
    Case("7 - 2 - 1", "null", "4"),
    Case("false or true and false", "null", "false"),
    Case("null // false // 3", "null", "3"),
    Case(".a = .b // 9", #"{"b": 4}"#, #"{"b":4,"a":4}"#),
    Case("-1 + 3", "null", "2"),
    Case("-.a", #"{"a": 4}"#, "-4"),
    Case("1 as $x | 2 as $y | $x, $y", "null", "1", "2"),
    Case("1 + 1 as $two | $two * 2", "null", "4"),
    Case("def a: 1; def b: a + 1; b", "null", "2"),
    Case("[1, def two: 2; two, 3]", "null", "[1,2,3]"),
  ])
  func precedence(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case(#".a."b c".d"#, #"{"a": {"b c": {"d": 1}}}"#, "1"),
    Case(#".a["b"]?.c"#, #"{"a": {"b": {"c": 2}}}"#, "2"),
    Case(".a.[0]", #"{"a": [5]}"#, "5"),
    Case(".[1:3]", "[0,1,2,3]", "[1,2]"),
    Case(".[:-1]", #""abc""#, #""ab""#),
    Case(".[-1], .[9]", "[1,2]", "2", "null"),
    Case("[..]", "[[1]]", "[[[1]],[1],1]"),
    Case(".and.if", #"{"and": {"if": 1}}"#, "1"),
    Case("{if: 1, and: 2}.if", "null", "1"),
    Case(
      "{a, \"b\", @base64 \"c\": 3, $__loc__}", #"{"a": 1, "b": 2}"#,
      #"{"a":1,"b":2,"c":3,"__loc__":{"file":"<top-level>","line":1}}"#),
    Case("{(\"x\", \"y\"): (1, 2)}", "null", #"{"x":1}"#, #"{"x":2}"#, #"{"y":1}"#, #"{"y":2}"#),
    Case("1 as $key | {$key, b: $key,}", "null", #"{"key":1,"b":1}"#),
    Case(
      #"{"\(.n[])", z: (1, 2)}"#, #"{"n": ["n", "x"], "x": 3}"#,
      #"{"n":["n","x"],"z":1}"#, #"{"n":["n","x"],"z":2}"#, #"{"x":3,"z":1}"#, #"{"x":3,"z":2}"#),
    Case("{a: 1 | . + 1}", "null", #"{"a":2}"#),
  ])
  func termsAndObjects(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case(##""a\(1 + 1)b\("c")""##, "null", #""a2bc""#),
    Case(##""\(1, 2)-\(3, 4)""##, "null", #""1-3""#, #""2-3""#, #""1-4""#, #""2-4""#),
    Case(##"@json "x=\([1, "a"])""##, "null", #""x=[1,\"a\"]""#),
    Case(##""\ud83d\ude80\u00e9\n""##, "null", ##""🚀é\n""##),
    Case(##""nested \("in \("side")")""##, "null", #""nested in side""#),
  ])
  func strings(_ test: Case) throws { try test.check() }

  @Test func comments() throws {
    try expect(outputs("1 # one\n+ 2"), equals: ["3"])
    try expect(outputs("1 # goes on \\\n + 100\n+ 2"), equals: ["3"])
    try expect(outputs("1 # does not \\\\\n+ 2"), equals: ["3"])
  }

  @Test(arguments: [
    ("{a: }", "syntax error, unexpected '}' at <top-level>, line 1, column 5"),
    (". as [] | 1", "expecting a variable as in $x, or '[' or '{'"),
    ("1 +", "unexpected end of the expression"),
    ("if . then 1", "an 'if' is not finished"),
    ("1 == 2 == 3", "unexpected '=='"),
    ("nope", "nope/0 is not defined at <top-level>, line 1, column 1"),
    ("[$x]", "$x is not defined at <top-level>, line 1, column 2"),
    ("break $out", "there is no label $out"),
    ("break", "break requires a label to break to"),
    ("{(1): 2}", "Cannot use number (1) as object key"),
    ("{([{\"a\": [1]}]): 2}", "Cannot use array ([{\"a\":[1]}]) as object key"),
    (##""\q""##, "Invalid escape"),
    ("\"abc", "expecting the end of the string"),
    (". foo", "try .[\"field\"]"),
    ("def f: 1;", "Top-level program not given"),
    ("map(.", "expecting ')'"),
    ("\n\n  %", "line 3, column 3"),
    ("get_jq_origin", "is not available"),
    (".a && .b", "for && write and"),
    (".a || .b", "for || write or"),
    (".a === .b", "for === write =="),
    (".a == 'b'", "strings are in double quotes, as in \"Go\""),
    ("!.a", "for !.a write (.a | not)"),
    ("$.a", "write .name, not $.name"),
    (".a ? 1 : 2", "a choice is written if … then … else … end"),
    ("[1, 2", "close it with ]"),
    ("(1 # one)", "close it with ) (a # begins a comment)"),
    ("\"a", "close it with \""),
    ("if . then 1 else 2", "close it with end"),
    (".a)", "nothing is open here: remove it"),
    ("[.a)", "close what is open first, with ]"),
    ("1 end", "no if is open here: remove end"),
    (".a é", "unexpected 'é', expecting an operator or the end"),
    ("def 1: 2; .", "expecting a name"),
  ])
  func refusals(_ program: String, _ message: String) {
    let text = refusal(program)
    expect(text?.contains(message), equals: true, "\(text ?? "compiled")")
  }

  @Test func caretStandsUnderThePlace() throws {
    let text = refusal(##"["é", 1 + $x]"##)
    let ending = "line 1, column 11:\n    [\"é\", 1 + $x]\n              ^^"
    expect(text?.hasSuffix(ending), equals: true, "\(text ?? "")")
    expect(refusal(".a | $name")?.hasSuffix("\n    .a | $name\n         ^^^^^"), equals: true)
  }

  @Test func deepNestingIsRefusedOrRuns() throws {
    let deep = String(repeating: "(", count: 200_000) + "1"
    expect(refusal(deep)?.contains("nested too deeply"), equals: true)
    try expect(outputs(Array(repeating: ".+1", count: 150).joined(separator: "|"), "0"), equals: ["150"])
    try expect(outputs(Array(repeating: "1", count: 150).joined(separator: "+")), equals: ["150"])
  }
}
