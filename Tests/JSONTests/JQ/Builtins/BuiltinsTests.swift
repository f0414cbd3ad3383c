import Expectations
import JSON
import Testing

@Suite struct BuiltinsTests {
  @Test(arguments: [
    Case("[.[] | length]", #"[null, "aé", [1], {"a": 1}, -3]"#, "[0,2,1,1,3]"),
    Case("keys, keys_unsorted", #"{"b": 1, "a": 2}"#, #"["a","b"]"#, #"["b","a"]"#),
    Case("[has(\"a\"), (.c | has(1))]", #"{"a": null, "c": [1]}"#, "[true,false]"),
    Case("contains({a: [\"b\"]}), inside({a: [\"bc\"], d: 1})", #"{"a": ["bc"]}"#, "true", "true"),
    Case(
      "contains(true), (try contains(false) catch .), ([.] | contains([false]))", "true", "true",
      #""boolean (true) and boolean (false) cannot have their containment checked""#, "false"),
    Case("add, add(.[] * 2), (map(tostring) | add)", "[1, 2]", "3", "6", #""12""#),
    Case("flatten, flatten(1)", "[1, [2, [3]]]", "[1,2,3]", "[1,2,[3]]"),
    Case("sort, sort_by(-.)", "[2, 1, 3]", "[1,2,3]", "[3,2,1]"),
    Case("sort", #"[[], {}, "a", 1, true, false, null]"#, #"[null,false,true,1,"a",[],{}]"#),
    Case("group_by(.k) | map(map(.v))", #"[{"k":2,"v":1},{"k":1,"v":2},{"k":2,"v":3}]"#, "[[2],[1,3]]"),
    Case("unique, unique_by(length)", #"["b", "a", "b", "cc"]"#, #"["a","b","cc"]"#, #"["b","cc"]"#),
    Case("min, max, min_by(.[1]), max_by(.[1])", "[[1, 9], [2, 3]]", "[1,9]", "[2,3]", "[2,3]", "[1,9]"),
    Case("reverse, (\"\" | reverse)", "[1, 2]", "[2,1]", "[]"),
    Case(
      "to_entries, from_entries", #"[{"key": "a", "value": 1}]"#,
      #"[{"key":0,"value":{"key":"a","value":1}}]"#, #"{"a":1}"#),
    Case("transpose", "[[1, 2], [3]]", "[[1,3],[2,null]]"),
    Case("transpose", #"["", {}, 0, null]"#, "[]"),
    Case("try ([1, true] | transpose) catch .", "null", #""boolean (true) has no length""#),
    Case("try ([[1], {}] | transpose) catch .", "null", #""Cannot index object with number (0)""#),
    Case("bsearch(3), bsearch(0), bsearch(9)", "[1, 3, 5]", "1", "-1", "-4"),
    Case("[combinations]", "[[1, 2], [3, 4]]", "[[1,3],[1,4],[2,3],[2,4]]"),
    Case(
      "walk(if type == \"number\" then . + 1 else . end)", #"{"a": [1, {"b": 2}]}"#, #"{"a":[2,{"b":3}]}"#),
    Case("[tostream]", #"{"a": [1]}"#, #"[[["a",0],1],[["a",0]],[["a"]]]"#),
    Case("fromstream(tostream)", #"{"a": [1, {"b": []}]}"#, #"{"a":[1,{"b":[]}]}"#),
    Case("[1 | truncate_stream([[0], 1], [[1, 0], 2])]", "null", "[[[0],2]]"),
    Case(
      "INDEX(.id) | keys, ([.[] | .v])", #"[{"id": 1, "v": 2}, {"id": 3, "v": 4}]"#, #"["1","3"]"#, "[2,4]"),
    Case("IN(1, 2), IN(.[]?; 3)", "2", "true", "false"),
    Case("toarray, ([1] | toarray)", "1", "[1]", "[1]"),

  ])
  func collections(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case(
      "startswith(\"ab\"), endswith(\"bc\"), ltrimstr(\"a\"), rtrimstr(\"c\"), trimstr(\"a\")", #""abc""#,
      "true",
      "true", #""bc""#, #""ab""#, #""bc""#),
    Case("trim, ltrim, rtrim", #"" a ""#, #""a""#, #""a ""#, #"" a""#),
    Case(
      "split(\",\"), (. / \",\"), split(\"\")", #""a,b""#, #"["a","b"]"#, #"["a","b"]"#, #"["a",",","b"]"#),
    Case("join(\"-\")", #"["a", 1, null, true]"#, #""a-1--true""#),
    Case("explode, (explode | implode)", #""é☃""#, "[233,9731]", #""é☃""#),
    Case("ascii_upcase, ascii_downcase", #""aÉz""#, #""AÉZ""#, #""aÉz""#),
    Case("indices(\"a\"), index(\"a\"), rindex(\"a\")", #""éabca""#, "[1,4]", "1", "4"),
    Case("indices([1, 2]), indices(1)", "[1, 2, 1, 2]", "[0,2]", "[0,2]"),
    Case(". * 3, . * 0", #""ab""#, #""ababab""#, #""""#),
    Case(
      "tojson, (tojson | fromjson)", #"{"a": [1.5, null]}"#, #""{\"a\":[1.5,null]}""#, #"{"a":[1.5,null]}"#),
    Case("[.[] | tonumber]", #"["12", "-1.5e2", 3]"#, "[12,-1.5E+2,3]"),
    Case("[.[] | toboolean]", #"["true", false]"#, "[true,false]"),
    Case(
      ".[1:], .[:-1], .[-2:], .[5:], .[1:][1:]", #""abcd""#, #""bcd""#, #""abc""#, #""cd""#, "\"\"", #""cd""#),
    Case(".[1:], .[:-1], .[-2:], .[5:]", #""aé☃d""#, #""é☃d""#, #""aé☃""#, #""☃d""#, "\"\""),
    Case("utf8bytelength", #""é☃""#, "5"),
  ])
  func texts(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case(
      "@base64, @uri, @html, @sh", #""<a b'>""#, #""PGEgYic+""#, #""%3Ca%20b%27%3E""#,
      #""&lt;a b&apos;&gt;""#,
      #""'<a b'\\''>'""#),
    Case(
      "@csv, @tsv, @sh, (.[0] | @html)", #"["a\u0000b"]"#, #""\"a\\0b\"""#, #""a\\0b""#, #""'a\\0b'""#,
      #""a\\0b""#),
    Case(
      "@csv, @tsv", #"[1, "a\"b", null, true, "x\ty"]"#, #""1,\"a\"\"b\",,true,\"x\ty\"""#,
      #""1\ta\"b\t\ttrue\tx\\ty""#),
    Case("@base64d", #""Y2Fmw6k=""#, #""café""#),
    Case("@base32, (@base32 | @base32d)", #""hello""#, #""NBSWY3DP""#, #""hello""#),
    Case("@urid", #""caf%C3%A9+x""#, #""café+x""#),
    Case("@text, @json", #"[1]"#, #""[1]""#, #""[1]""#),
    Case("[.[] | format(\"json\")]", #"["a"]"#, #"["\"a\""]"#),
  ])
  func formats(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case("[.[] | floor, ceil, round, trunc]", "[1.5, -1.5]", "[1,2,2,1,-2,-1,-2,-1]"),
    Case("sqrt, pow(.; 2), log2, exp10", "4", "2", "16", "2", "10000"),
    Case("[frexp, ldexp(.; 2), significand, logb]", "6", "[[0.75,3],24,1.5,2]"),
    Case("[5 % 3, -5 % 3, 5 % -3, 5.9 % 2.1]", "null", "[2,-2,2,1]"),
    Case(
      "[infinite, -infinite | isinfinite], (nan | isnan), (nan < nan)", "null", "[true,true]", "true", "true"),
    Case("[.[] | abs]", "[-3, 2, -0.5]", "[3,2,0.5]"),
    Case("100000000000000000001, (. | tojson), . + 0", "3.10", "100000000000000000001", #""3.10""#, "3.1"),
    Case(
      "-. , ([.] | tojson)", "12345678901234567890", "-12345678901234567890", #""[12345678901234567890]""#),
    Case(
      "1e1000, 0.1 + 0.2, 1e17, 1 / 3", "null", "1E+1000", "0.30000000000000004", "1E+17",
      "0.3333333333333333"),
    Case("[.[] | isnormal], have_decnum", "[1, 0]", "[true,false]", "true"),
    Case("fma(2; 3; 4), fmin(1; 2), atan2(0; 1)", "null", "10", "1", "0"),
  ])
  func numbers(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    Case("test(\"B\"; \"i\"), test([\"b\", null])", #""abc""#, "true", "true"),
    Case(
      "[match(\"a(?<n>b)?\"; \"g\") | .offset, .length, .captures[0].string]", #""xabéa""#,
      #"[1,2,"b",4,1,null]"#),
    Case("capture(\"(?<y>\\\\d+)-(?<m>\\\\d+)\")", #""on 2026-01""#, #"{"y":"2026","m":"01"}"#),
    Case(
      "[scan(\"[a-c]\")], [scan(\"(a)(b)\")]", #""abcab""#, #"["a","b","c","a","b"]"#,
      #"[["a","b"],["a","b"]]"#),
    Case(
      "sub(\"(?<x>o)\"; \"<\\(.x)>\"), gsub(\"o\"; \"0\", \"Q\")", #""foo""#, #""f<o>o""#, #""f00""#,
      #""fQQ""#),
    Case("[splits(\" +\")], split(\"b\"; null)", #""a  b c""#, #"["a","b","c"]"#, #"["a  "," c"]"#),
    Case("gsub(\"\"; \"-\")", #""ab""#, #""-a-b-""#),
    Case(
      "gsub(\"\"; \"-\"), gsub(\"x\"; \"y\"), gsub(\"é\"; null)", #""aé""#, #""-a-é-""#, #""aé""#, #""a""#),
    Case("[match(\"\"; \"g\").offset]", #""é☃""#, "[0,1,2]"),
    Case("gsub(\"^\\\\s+|\\\\s+$\"; \"\")", #""  trim me ""#, #""trim me""#),
  ])
  func regularExpressions(_ test: Case) throws { try test.check() }

  @Test(arguments: [
    ("1 + \"a\"", "null", "number (1) and string (\"a\") cannot be added"),
    ("{} - 1", "null", "object ({}) and number (1) cannot be subtracted"),
    (". / 0", "1", "number (1) and number (0) cannot be divided because the divisor is zero"),
    (".[]", "5", "Cannot iterate over number (5)"),
    (".a", "\"x\"", "Cannot index string with string (\"a\")"),
    ("tonumber", "\"x1\"", "string (\"x1\") cannot be parsed as a number"),
    ("fromjson", "\"[1\"", "Unfinished JSON term at EOF at line 1, column 2 (while parsing '[1')"),
    ("implode", "[\"a\"]", "string (\"a\") can't be imploded, unicode codepoint needs to be numeric"),
    ("test(\"(\")", "\"a\"", "Regex failure: end pattern with unmatched parenthesis"),
    ("error", "{\"a\": 1}", "(not a string): {\"a\":1}"),
    ("@base32d", "\"!\"", "string (\"!\") is not valid base32 data"),
    (
      "-.", "\"abcdefghijklmnopqrstuvwxyzabcdefgh\"",
      "string (\"abcdefghijklmnopqrstuvwx...\") cannot be negated"
    ),
    ("{(.): 1}", "1", "Cannot use number (1) as object key"),
    ("has(\"a\")", "[1]", "Cannot check whether array has a string key"),
    ("strptime(\"%Y\")", "\"x\"", "date \"x\" does not match format \"%Y\""),
  ])
  func mistakes(_ program: String, _ input: String, _ message: String) throws {
    try expect(failure(program, input), equals: message)
  }

  @Test func everyListedNameIsThere() throws {
    let names = try outputs("builtins | map(split(\"/\")) | map(\"\\(.[0]) \\(.[1])\") | .[]").map {
      $0.dropFirst().dropLast().split(separator: " ")
    }
    #expect(names.count > 230)
    for name in names {
      let arguments = Array(repeating: ".", count: Int(name[1]) ?? 0).joined(separator: "; ")
      let call = arguments.isEmpty ? String(name[0]) : "\(name[0])(\(arguments))"
      #expect(refusal(call).map { $0.contains("not available") } ?? true, "\(call)")
    }
  }
}
