// Builtins that are written in Swift for values, once more in the language for path expressions: in jq they are made of
// smaller expressions, which lead to places (`path(ltrimstr("a"))`) or are refused for the first one that does not.

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
  /// What a name of the prelude means in a path expression.
  func pathMeaning(_ name: String, _ arity: Int) -> FunctionMeaning? {
    let signature = "\(name)/\(arity)"
    guard let text = Prelude.pathDefinitions[signature] else { return preludeMeaning(name, arity) }
    return meaning("path " + signature, text)
  }
}
