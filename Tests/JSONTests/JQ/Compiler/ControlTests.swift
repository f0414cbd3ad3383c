import Expectations
import JSON
import Testing

@Suite struct ControlTests {
  @Test(arguments: [
    Case("if .a then 1 elif .b then 2 else 3 end", #"{"b": true}"#, "2"),
    Case("if . then 1 end", "false", "false"),
    Case("if (true, false) then 1 else 2 end", "null", "1", "2"),
    Case("[.[] | if . > 1 then \"many\" else . end]", "[0, 5]", #"[0,"many"]"#),
    Case("empty // 1", "null", "1"),
    Case("[(false, 2, null, 3) // 4]", "null", "[2,3]"),
    Case("[true, false | not]", "null", "[false,true]"),
  ])
  func conditions(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case("try error(\"x\") catch .", "null", #""x""#),
    Case("[.[] | .a?]", #"[1, {"a": 2}, null]"#, "[2,null]"),
    Case("try (1, error(\"x\"), 2) catch .", "null", "1", #""x""#),
    Case("[.[] | try tonumber catch \"no\"]", #"["1", "x"]"#, #"[1,"no"]"#),
    // What comes after a try is none of its business.
    Case("try (try 1 catch \"inner\" | error(\"outer\")) catch .", "null", #""outer""#),
    Case("try error({a: 1}) catch .a", "null", "1"),
    Case("[.[] | (1 / .)?]", "[2, 0, 4]", "[0.5,0.25]"),
    Case("try (.a.b?) catch .", "[]", #""Cannot index array with string (\"a\")""#),
    Case("(.a.b)?", "[]"),
  ])
  func errors(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case("[label $out | .[] | if . > 2 then break $out else . end]", "[1, 2, 3, 1]", "[1,2]"),
    Case("[label $a | label $b | 1, break $a, 2]", "null", "[1]"),
    Case("[first(range(10; 0; -1)), limit(2; 5, 6, 7)]", "null", "[10,5,6]"),
    Case("[limit(0; error)]", "null", "[]"),
    Case("[skip(2; range(5))], nth(1; 5, 6, error)", "null", "[2,3,4]", "6"),
    Case("[first(empty)], isempty(empty), isempty(1, error)", "null", "[]", "true", "false"),
    Case("[until(. > 100; . * 3)]", "2", "[162]"),
    Case("[while(. < 10; . * 2)]", "1", "[1,2,4,8]"),
    Case("[limit(3; repeat(7))]", "null", "[7,7,7]"),
    Case("any(.[]; . > 2), all(.[]; . > 2)", "[1, 5]", "true", "false"),
    Case("[range(3)], [range(0; 10; 4)], [range(5; 0; -2)]", "null", "[0,1,2]", "[0,4,8]", "[5,3,1]"),
    Case("[recurse(if . < 3 then . + 1 else empty end)]", "0", "[0,1,2,3]"),
  ])
  func generators(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case("reduce .[] as $x (0; . + $x)", "[1, 2, 3]", "6"),
    Case("reduce .[] as [$a, $b] (0; . + $a * $b)", "[[1, 2], [3, 4]]", "14"),
    Case("reduce range(3) as $i (0; empty)", "null", "null"),
    Case("[foreach .[] as $x (0; . + $x)]", "[1, 2, 3]", "[1,3,6]"),
    Case("[foreach .[] as $x (0; . + $x; [$x, .])]", "[1, 2]", "[[1,1],[2,3]]"),
    Case("[foreach (1, 2) as $x (0, 10; . + $x)]", "null", "[1,3,11,13]"),
    Case("reduce .[] as $x ({}; .[$x] += 1)", #"["a", "b", "a"]"#, #"{"a":2,"b":1}"#),
    Case("reduce range(4) as $i ([]; . + [$i * $i])", "null", "[0,1,4,9]"),
    // A state that is still referenced is not changed in place.
    Case(
      "reduce (1, 2) as $x ({n: []}; . as $old | .n += [$x] | .old = $old.n)", "null",
      #"{"n":[1,2],"old":[1]}"#),
  ])
  func folds(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case(". as [$a, {b: $c}] | $c, $a", #"[1, {"b": 2}]"#, "2", "1"),
    Case(". as {a: $x, (\"b\", \"c\"): $y} | [$x, $y]", #"{"a": 1, "b": 2, "c": 3}"#, "[1,2]", "[1,3]"),
    Case(". as {$a, $b: [$first]} | [$a, $b, $first]", #"{"a": 1, "b": [7]}"#, "[1,[7],7]"),
    Case("[.[] | . as [$a] ?// {a: $a} ?// $a | $a]", #"[[1], {"a": 2}, 3]"#, "[1,2,3]"),
    Case(". as [$a] ?// [[$b]] | if $b == null then error(\"no\") else [$a, $b] end", "[[3]]", "[null,3]"),
  ])
  func destructuring(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case("def f(g): g | g; 3 | f(. * .)", "null", "81"),
    Case("def f($a; b): $a + b; f(1; 2, 3)", "null", "3", "4"),
    Case("def f($a): a + $a; 5 | f(. + 1)", "null", "12"),
    Case("def fac: if . <= 1 then 1 else . * (. - 1 | fac) end; 10 | fac", "null", "3628800"),
    Case("def fib($n): if $n < 2 then $n else fib($n - 1) + fib($n - 2) end; fib(15)", "null", "610"),
    Case(
      "def even: if . == 0 then true else . - 1 | (if . == 0 then false else . - 1 | even end) end; 8 | even",
      "null",
      "true"),
    Case("def f: 1; def g: f; def f: 2; [f, g]", "null", "[2,1]"),
    Case("def f: 1; def f(a): 2; [f, f(0)]", "null", "[1,2]"),
    // A closure keeps its variables while what it hands out comes back to it.
    Case("def twice(g): g | g; [twice((1, 2) as $x | . + $x)]", "0", "[2,3,3,4]"),
    Case("def f(g): [g, g]; [f((. , 1) as $x | $x)]", "0", "[[0,1,0,1]]"),
    Case("def g(f): first((f as $x | $x, ($x + 1)) | [., first(f)]); g(. + 1)", "1", "[2,3]"),
    // A variable that a tail call's argument uses is there until that call ends.
    Case(
      "def to(f): if . > 9 then f else . + 5 | to(f) end; "
        + "def p($a): [$a] as $b | def e: [$a, $b] | if length == 2 then . else p(0) end; to(e); p(7)", "0",
      "[7,[7]]"),
    Case("def count(f): if . == 0 then 0 else f | 1 + count(f) end; 5 | count(. - 1)", "null", "5"),
    Case(
      "def tree: .kids[]? |= tree | .n += 1; tree", #"{"n":0,"kids":[{"n":0}]}"#, #"{"n":1,"kids":[{"n":1}]}"#
    ),
  ])
  func functions(_ test: Case) throws { try test.check() }

  @Test func tailCallsUseNoStack() throws {
    try expect(outputs("def f: if . > 300000 then . else . + 1 | f end; 0 | f"), equals: ["300001"])
    try expect(
      outputs("def f($n): if $n == 0 then . else . + 1 | f($n - 1) end; 0 | f(100000)"), equals: ["100000"])
    try expect(outputs("last(def r: ., (. + 1 | r); 0 | limit(100000; r))"), equals: ["99999"])
    try expect(outputs("last(range(200000))"), equals: ["199999"])
    try expect(outputs("0 | until(. >= 200000; . + 1)"), equals: ["200000"])
  }
}
