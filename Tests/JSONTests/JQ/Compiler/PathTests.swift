import Expectations
import JSON
import Testing

@Suite struct PathTests {
  @Test(arguments: [
    Case("[path(.a[0].b?)]", "null", #"[["a",0,"b"]]"#),
    Case("[path(..)]", "[[1]]", "[[],[0],[0,0]]"),
    Case("[paths]", #"{"a": [1]}"#, #"[["a"],["a",0]]"#),
    Case("[path(.[] | select(. > 1))]", "[1, 2, 3]", "[[1],[2]]"),
    Case("[path(if .a then .b else .c end)]", "{}", #"[["c"]]"#),
    Case("[path(.a // .b)]", "{}", #"[["b"]]"#),
    Case(
      "[path(first(.a, .b), limit(1; .[]), getpath([\"x\", 0]))]", #"{"z": 1}"#, #"[["a"],["z"],["x",0]]"#),
    Case("path(.[1:][0])", "[1, 2]", #"[{"start":1,"end":null},0]"#),
    Case("getpath([\"a\", 1, \"b\"])", #"{"a": [0, {"b": 7}]}"#, "7"),
    Case("pick(.a.b, .c[1])", #"{"a": {"b": 1, "x": 2}, "c": [3, 4]}"#, #"{"a":{"b":1},"c":[null,4]}"#),
    Case("[paths(type == \"number\")]", #"[1, {"a": 2}]"#, #"[[0],[1,"a"]]"#),
    Case("def deep: .a.b; [path(deep)], (deep = 1)", "null", #"[["a","b"]]"#, #"{"a":{"b":1}}"#),
    Case("def r(f): ., (f | r(f)); [path(r(.[]?))]", "[[1]]", "[[],[0],[0,0]]"),
  ])
  func paths(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case(".a = 1", "{}", #"{"a":1}"#),
    Case(".a.b[1] = 1", "null", #"{"a":{"b":[null,1]}}"#),
    Case(".[] += 1", "[1, 2]", "[2,3]"),
    Case(".a |= (. , 9)", #"{"a": 1}"#, #"{"a":1}"#),
    Case(".[1:] = [9]", "[1, 2, 3]", "[1,9]"),
    Case("(.a, .b) = (1, 2)", "null", #"{"a":1,"b":1}"#, #"{"a":2,"b":2}"#),
    Case(".a += (1, 10)", #"{"a": 1}"#, #"{"a":2}"#, #"{"a":11}"#),
    Case(".a //= 3 | .b //= 4", #"{"a": 1}"#, #"{"a":1,"b":4}"#),
    Case("(.. | numbers) |= . + 1", #"[1, {"a": [2]}]"#, #"[2,{"a":[3]}]"#),
    Case(".[] |= empty", "[1, 2, 3]", "[]"),
    Case("(.[] | select(. > 1)) |= empty", "[1, 2, 3, 0]", "[1,0]"),
    Case(".a[.k] = 5", #"{"k": "x"}"#, #"{"k":"x","a":{"x":5}}"#),
    Case("to_entries | map(.value *= 2) | from_entries", #"{"a": 2}"#, #"{"a":4}"#),
    Case("map_values(. + 1), map_values(empty)", #"{"a": 1}"#, #"{"a":2}"#, "{}"),
    Case("with_entries(.value |= tostring)", #"{"a": 1}"#, #"{"a":"1"}"#),
    Case(". as $dot | .a = 1 | [., $dot]", #"{"b": 2}"#, #"[{"b":2,"a":1},{"b":2}]"#),
    Case("reduce (.a, .b) as $x (.; .n += $x)", #"{"a": 1, "b": 2}"#, #"{"a":1,"b":2,"n":3}"#),
  ])
  func assignments(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case("del(.a)", #"{"a": 1, "b": 2}"#, #"{"b":2}"#),
    Case("del(.[0, 2])", "[1, 2, 3]", "[2]"),
    Case("del(.[1:], .[-1])", "[1, 2, 3]", "[1]"),
    Case("del(.. | select(. == 1)?)", #"{"a": [1, 2], "b": 1}"#, #"{"a":[2]}"#),
    Case("delpaths([[\"a\", 0], [\"b\"]])", #"{"a": [1, 2], "b": 3}"#, #"{"a":[2]}"#),
    Case("del(.)", "1", "null"),
  ])
  func deletions(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    (".[0] = 1", "{}", "Cannot index object with number (0)"),
    ("path(1)", "2", "Invalid path expression with result 1"),
    ("path(tojson | .a)", "[]", "Invalid path expression near attempt to access element \"a\" of \"[]\""),
    ("path(map(.) | .[])", "[1]", "Invalid path expression near attempt to iterate through [1]"),
    (".[-1] = 1", "null", "Out of bounds negative array index"),
    (".[1e9] = 1", "null", "Array index too large"),
    ("setpath(1; 2)", "null", "Path must be specified as an array"),
    ("delpaths([1])", "null", "Path must be specified as array, not number"),
    (".a.b = 1", #"{"a": 3}"#, "Cannot index number with string (\"b\")"),
  ])
  func mistakes(_ program: String, _ input: String, _ message: String) throws {
    try expect(failure(program, input), equals: message)
  }

  // What a path expression evaluates on its way moves its place too, in jq, and what is made there is at none.
  @Test(arguments: [
    (
      "path([.a | tojson | .[0]])", #"{"a": 1}"#,
      "Invalid path expression near attempt to access element 0 of \"1\""
    ),
    ("path(map(.) | map(.))", "[1]", "Invalid path expression near attempt to iterate through [1]"),
    (
      "path(.a and .b)", #"{"a": 1}"#,
      #"Invalid path expression near attempt to access element "b" of {"a":1}"#
    ),
    ("path(.a or .b)", #"{"a": 0}"#, "Invalid path expression with result true"),
    (
      "path(-(.a | tojson | .b))", "{}",
      "Invalid path expression near attempt to access element \"b\" of \"null\""
    ),
    (
      "path(range(.a; .b))", #"{"a": 1}"#,
      #"Invalid path expression near attempt to access element "b" of {"a":1}"#
    ),
    (
      "path(try error(1) catch .a)", "{}", #"Invalid path expression near attempt to access element "a" of 1"#
    ),
    ("path(error(tojson | .a))", "1", #"Invalid path expression near attempt to access element "a" of "1""#),
    ("path(.a += 1)", "{}", #"Invalid path expression near attempt to access element 0 of [{"a":1},[]]"#),
    ("path(.a += (tojson | .b))", "1", #"Invalid path expression near attempt to access element "b" of "1""#),
    ("path(.[] |= empty)", "[1]", "Invalid path expression near attempt to access element 0 of [[1],[[0]]]"),
    ("path(.[] |= .a)", "[{}]", #"Invalid path expression near attempt to access element "a" of {}"#),
    ("path(1 | .. | empty)", "null", "Invalid path expression near attempt to iterate through 1"),
    ("path(ascii_downcase)", #""A""#, "Invalid path expression near attempt to iterate through [65]"),
    ("path(from_entries)", "[]", "Invalid path expression near attempt to iterate through []"),
    ("path(tojson | flatten)", "[]", #"Invalid path expression near attempt to iterate through "[]""#),
    ("path(any)", "[1]", "Invalid path expression with result true"),
    ("del(ltrimstr(\"a\"))", #""ab""#, "Cannot delete fields from string"),
  ])
  func moved(_ program: String, _ input: String, _ message: String) throws {
    try expect(failure(program, input), equals: message)
  }

  @Test(arguments: [
    Case("[path(.a += empty)]", "1", "[]"),
    Case("[path(.a and .b)]", #"{"a": false}"#, #"[["a"]]"#),
    Case("[path(try error(\"x\") catch $__loc__ | empty)]", "1", "[]"),
    Case("[path(abs, ltrimstr(\"x\")?)]", "1", "[[]]"),
    Case(
      "[path(ltrimstr(\"a\"), rtrimstr(\"b\"))]", #""ab""#,
      #"[[{"start":1,"end":null}],[{"start":null,"end":1}]]"#),
    Case("[path(indices(2), index([2]))]", "[1, 2]", "[[[2]],[[2],0]]"),
    Case("path(isempty(.[]))", "[false]", "[0]"),
    Case("[path(trim, ltrim, rtrim)]", #""a b""#, "[[],[],[]]"),
    Case("[path(reduce (0, 1) as $i (.; .[:2])), path(-0)?]", "[1]", "[[]]"),
    // Unlike jq 1.8: taking a value apart leads nowhere by itself.
    Case(
      "del(. as {$k} | .[$k]), [path(. as [$i] ?// {$k} | .[$k])]", #"{"k": "a", "a": 1}"#, #"{"k":"a"}"#,
      #"[["a"]]"#),
  ])
  func places(_ test: Case) throws { try test.check() }
}
