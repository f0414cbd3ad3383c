// Builtins written in the language itself, each parsed when a program first uses it. Forms that are written in Swift as
// well are here for path expressions, and for arguments with several outputs.

enum Prelude {
  static let definitions = table(of: texts)

  static func table(of texts: [String]) -> [String: String] {
    var table: [String: String] = [:]
    for text in texts {
      // `def name(a; b): …`: the arity is one more than the number of semicolons between the parentheses.
      let head = text.dropFirst(4).prefix { $0 != ":" }
      let name = head.prefix { $0 != "(" }
      let arity = head.contains("(") ? head.split(separator: ";").count : 0
      table["\(name)/\(arity)"] = text
    }
    return table
  }

  private static let texts = [
    "def error(message): message | error;",
    "def map(f): [.[] | f];",
    "def select(f): if f then . else empty end;",
    "def add(f): reduce f as $x (null; . + $x);",
    "def add: add(.[]);",
    "def del(f): delpaths([path(f)]);",
    "def map_values(f): .[] |= f;",
    "def recurse(f): def r: ., (f | r); r;",
    "def recurse(f; condition): def r: ., (f | select(condition) | r); r;",
    "def repeat(f): def r: f, r; r;",
    "def with_entries(f): to_entries | map(f) | from_entries;",
    """
    def from_entries: reduce .[] as $entry ({}; . + ($entry
      | {(.key // .Key // .name // .Name): (if has("value") then .value else .Value end)}));
    """,
    "def index($i): indices($i) | .[0];",
    "def rindex($i): indices($i) | .[-1:][0];",
    "def paths: path(recurse) | select(length > 0);",
    "def paths(node_filter): path(recurse | select(node_filter)) | select(length > 0);",
    "def isfinite: type == \"number\" and (isinfinite | not);",
    "def arrays: select(type == \"array\");",
    "def objects: select(type == \"object\");",
    "def iterables: select(type | . == \"array\" or . == \"object\");",
    "def booleans: select(type == \"boolean\");",
    "def numbers: select(type == \"number\");",
    "def normals: select(isnormal);",
    "def finites: select(isfinite);",
    "def strings: select(type == \"string\");",
    "def nulls: select(. == null);",
    "def values: select(. != null);",
    "def scalars: select(type | . != \"array\" and . != \"object\");",
    "def range($x): range(0; $x);",
    """
    def range($from; $upto; $by):
      if $by > 0 then $from | while(. < $upto; . + $by)
      elif $by < 0 then $from | while(. > $upto; . + $by)
      else empty end;
    """,
    "def fromdateiso8601: strptime(\"%Y-%m-%dT%H:%M:%SZ\") | mktime;",
    "def todateiso8601: strftime(\"%04Y-%m-%dT%H:%M:%SZ\");",
    "def fromdate: fromdateiso8601;",
    "def todate: todateiso8601;",
    "def date: todate;",
    "def dateadd(unit; n): . + n;",
    "def datesub(unit; n): . - n;",
    "def match(re; mode): _match(re; mode) | .[];",
    """
    def match($val): ($val | type) as $type | if $type == "string" then match($val; null)
      elif $type == "array" and ($val | length) > 1 then match($val[0]; $val[1])
      elif $type == "array" and ($val | length) > 0 then match($val[0]; null)
      else error($type + " not a string or array") end;
    """,
    """
    def test($val): ($val | type) as $type | if $type == "string" then test($val; null)
      elif $type == "array" and ($val | length) > 1 then test($val[0]; $val[1])
      elif $type == "array" and ($val | length) > 0 then test($val[0]; null)
      else error($type + " not a string or array") end;
    """,
    "def capture(re; mode): match(re; mode) | _captures;",
    """
    def capture($val): ($val | type) as $type | if $type == "string" then capture($val; null)
      elif $type == "array" and ($val | length) > 1 then capture($val[0]; $val[1])
      elif $type == "array" and ($val | length) > 0 then capture($val[0]; null)
      else error($type + " not a string or array") end;
    """,
    """
    def scan($re; $flags): match($re; "g" + $flags)
      | if (.captures | length > 0) then [.captures[] | .string] else .string end;
    """,
    "def scan($re): scan($re; null);",
    """
    def splits($re; $flags): .[foreach (match($re; $flags + "g"), null) as {$offset, $length}
      (null; {start: .next, end: $offset, next: ($offset + $length)})];
    """,
    "def splits($re): splits($re; null);",
    "def split($re; $flags): [splits($re; $flags)];",
    """
    def sub($re; replacement; $flags): . as $in
      | (reduce match($re; $flags) as $edit ({result: [], previous: 0};
          $in[.previous:($edit | .offset)] as $gap
          | [$edit | _captures | replacement] as $inserts
          | reduce range(0; $inserts | length) as $i (.; .result[$i] += $gap + $inserts[$i])
          | .previous = ($edit | .offset + .length))
        | .result[] + $in[.previous:])
      // $in;
    """,
    "def sub($re; replacement): sub($re; replacement; \"\");",
    "def gsub($re; replacement; flags): sub($re; replacement; flags + \"g\");",
    "def gsub($re; replacement): sub($re; replacement; \"g\");",
    "def while(condition; update): def w: if condition then ., (update | w) else empty end; w;",
    "def until(condition; update): def u: if condition then . else (update | u) end; u;",
    """
    def limit($n; f): if $n > 0 then label $out | foreach f as $item ($n; . - 1; $item,
        if . <= 0 then break $out else empty end)
      elif $n == 0 then empty else error("limit doesn't support negative count") end;
    """,
    """
    def skip($n; f): if $n > 0 then foreach f as $item ($n; . - 1; if . < 0 then $item else empty end)
      elif $n == 0 then f else error("skip doesn't support negative count") end;
    """,
    "def first(f): label $out | f | ., break $out;",
    "def all(condition): all(.[]; condition);",
    "def any(condition): any(.[]; condition);",
    "def all: all(.[]; .);",
    "def any: any(.[]; .);",
    """
    def nth($n; f): if $n < 0 then error("nth doesn't support negative indices") else first(skip($n; f)) end;
    """,
    "def first: .[0];",
    "def last: .[-1];",
    "def nth($n): .[$n];",
    """
    def combinations: if length == 0 then [] else
      .[0][] as $x | (.[1:] | combinations) as $rest | [$x] + $rest end;
    """,
    "def combinations(n): . as $dot | [range(n) | $dot] | combinations;",
    "def in(xs): . as $x | xs | has($x);",
    "def inside(xs): . as $x | xs | contains($x);",
    """
    def truncate_stream(stream): . as $n | null | stream | . as $input
      | if (.[0] | length) > $n then setpath([0]; $input[0][$n:]) else empty end;
    """,
    """
    def fromstream(f): {x: null, e: false} as $init | foreach f as $i ($init;
      if .e then $init else . end
      | if $i | length == 2
        then setpath(["e"]; $i[0] | length == 0) | setpath(["x"] + $i[0]; $i[1])
        else setpath(["e"]; $i[0] | length == 1) end;
      if .e then .x else empty end);
    """,
    """
    def walk(f): def w: if type == "object" then map_values(w) elif type == "array" then map(w) else . end | f;
      w;
    """,
    "def pick(paths): . as $in | reduce path(paths) as $a (null; setpath($a; $in | getpath($a)));",
    "def debug(messages): (messages | debug | empty), .;",
    "def halt_error: halt_error(5);",
    "def INDEX(stream; key): reduce stream as $row ({}; .[$row | key | tostring] = $row);",
    "def INDEX(key): INDEX(.[]; key);",
    "def JOIN($idx; key): [.[] | [., $idx[key]]];",
    "def JOIN($idx; stream; key): stream | [., $idx[key]];",
    "def JOIN($idx; stream; key; join): stream | [., $idx[key]] | join;",
    "def IN(s): any(s == .; .);",
    "def IN(src; s): any(src == s; .);",
    "def ascii: [.] | implode;",
  ]

  /// One definition, parsed.
  static func definition(_ text: String) -> (Definition, ProgramText)? {
    let source = ProgramText(name: "<builtin>", text: Array(text.utf8), isPrelude: true)
    guard let module = try? Parser.parse(source), let definition = module.definitions.first else {
      return nil
    }
    return (definition, source)
  }
}

extension Compiler {
  /// The meaning of a name of the prelude.
  func preludeMeaning(_ name: String, _ arity: Int) -> FunctionMeaning? {
    let signature = "\(name)/\(arity)"
    return Prelude.definitions[signature].flatMap { meaning(signature, $0) }
  }

  /// The meaning of a definition, which is parsed at its first use.
  func meaning(_ key: String, _ text: String) -> FunctionMeaning? {
    if let known = preludeMeanings[key] { return known }
    guard let (definition, source) = Prelude.definition(text) else { return nil }
    let meaning = FunctionMeaning(.definition(definition), scope: Scope(source), layout: rootLayout)
    preludeMeanings[key] = meaning
    return meaning
  }

  /// Calls the definition in the prelude rather than the form of the same name.
  func callPrelude(_ name: String, _ arguments: [SyntaxNode], _ here: Here) throws(ProgramError) -> Code {
    guard let meaning = preludeMeaning(name, arguments.count), let first = arguments.first else {
      return .never
    }
    return try call(meaning, arguments, first, here)
  }
}

// MARK: - Path expressions

// Builtins that are written in Swift for values, defined in the language for path expressions: in jq they consist of
// smaller expressions, which have paths (`path(ltrimstr("a"))`) or fail at the first one without.

extension Prelude {
  static let pathDefinitions = table(of: [
    "def abs: if . < 0 then - . else . end;",
    "def all(items; condition): isempty(items | condition and empty);",
    "def any(items; condition): isempty(items | condition or empty) | not;",
    "def isempty(f): first((f | false), true);",
    "def ascii_downcase: explode | map(if 65 <= . and . <= 90 then . + 32 end) | implode;",
    "def ascii_upcase: explode | map(if 97 <= . and . <= 122 then . - 32 end) | implode;",
    """
    def flatten($depth):
      def f($n): reduce .[] as $x ([];
        if $x | type == "array" and $n != 0 then . + ($x | f($n - 1)) else . + [$x] end);
      if $depth < 0 then error("flatten depth must not be negative") else f($depth) end;
    """,
    "def flatten: def f: reduce .[] as $x ([]; . + if $x | type == \"array\" then $x | f else [$x] end); f;",
    """
    def from_entries: map({(.key // .Key // .name // .Name): if has("value") then .value else .Value end})
      | add // {};
    """,
    """
    def indices($i): if type == "array" and ($i | type) == "array" then .[$i]
      elif type == "array" then .[[$i]]
      elif type == "string" and ($i | type) == "string" then _strindices($i)
      else .[$i] end;
    """,
    """
    def join($separator): reduce .[] as $x (null;
        (if . == null then "" else . + $separator end)
        + ($x | if type == "boolean" or type == "number" then tostring else . // "" end))
      // "";
    """,
    "def ltrimstr($text): if startswith($text) then .[$text | length:] end;",
    "def rtrimstr($text): if endswith($text) then .[:length - ($text | length)] end;",
    "def trimstr($text): ltrimstr($text) | rtrimstr($text);",
    "def reverse: [.[length - 1 - range(0; length)]];",
    "def transpose: [range(0; map(length) | max // 0) as $i | [.[][$i]]];",
  ])
}

extension Compiler {
  /// The meaning of a name of the prelude in a path expression.
  func pathMeaning(_ name: String, _ arity: Int) -> FunctionMeaning? {
    let signature = "\(name)/\(arity)"
    guard let text = Prelude.pathDefinitions[signature] else { return preludeMeaning(name, arity) }
    return meaning("path " + signature, text)
  }
}
