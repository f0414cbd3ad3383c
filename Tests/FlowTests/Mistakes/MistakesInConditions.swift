/// Mistakes in conditions, templates and what expressions read.
///
/// The form is that of `MistakeTableTests`.
let mistakesInConditions = ##"""
  === a misspelt var
  sources: { i: stdin }
  vars: { limit: 3 }
  steps: [ { filter: .n > $vars.limti } ]
  sinks: { o: console }
  --- 2
  p.yaml:3:25: $vars has no “limti”
      3 | steps: [ { filter: .n > $vars.limti } ]
        |                         ^^^^^^^^^^^
    hint: did you mean “limit”?
  1 problem
  === a misspelt member of $meta
  sources: { i: stdin }
  steps: [ { map: $meta.sorce } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:17: $meta has no “sorce”
      2 | steps: [ { map: $meta.sorce } ]
        |                 ^^^^^^^^^^^
    hint: did you mean “source”?
  1 problem
  === an assignment in a condition
  sources: { i: stdin }
  steps: [ { filter: .a = 2 } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:20: = assigns a value, so this condition is always true
      2 | steps: [ { filter: .a = 2 } ]
        |                    ^^^^^^
    hint: did you mean ==, as in .status == "Go"?
  1 problem
  === a condition that is always true
  sources: { i: stdin }
  steps: [ { filter: '"Go"' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:21: this condition is always true
      2 | steps: [ { filter: '"Go"' } ]
        |                     ^^^^
    hint: a condition compares, as in .status == "Go"
  1 problem
  === a constant in an or
  sources: { i: stdin }
  steps: [ { filter: '.a == 1 or 2' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:32: this condition is always true
      2 | steps: [ { filter: '.a == 1 or 2' } ]
        |                                ^
    hint: a condition compares, as in .status == "Go"
  1 problem
  === an environment variable
  sources: { i: stdin }
  steps: [ { map: env.HOME } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:17: expressions cannot read environment variables
      2 | steps: [ { map: env.HOME } ]
        |                 ^^^^^^^^
    hint: write vars: { home: "${HOME}" }, and $vars.home here
  1 problem
  === an expression that is a list
  sources: { i: stdin }
  steps: [ { filter: [.a, .b] } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:20: an expression is expected here, not a list
      2 | steps: [ { filter: [.a, .b] } ]
        |                    ^^^^^^^^
    hint: put quotes around an expression that begins with { or [
  1 problem
  === an expression that is a mapping
  sources: { i: stdin }
  steps: [ { filter: { .a: 1 } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:20: filter needs the option “where”: the condition to pass
      2 | steps: [ { filter: { .a: 1 } } ]
        |                    ^^^^^^^^^
    hint: for example where: .status == "Go"
  p.yaml:2:22: filter has no option “.a”
      2 | steps: [ { filter: { .a: 1 } } ]
        |                      ^^
    hint: it has “where”
  2 problems
  === an empty expression
  sources: { i: stdin }
  steps: [ { filter: '' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:20: the expression is empty
      2 | steps: [ { filter: '' } ]
        |                    ^^
    hint: for the whole value, write .
  1 problem
  === an invalid escape
  sources: { i: stdin }
  steps: [ { map: '"a\d"' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:20: in this expression: Invalid escape at line 1, column 4 (while parsing '"\d"')
      2 | steps: [ { map: '"a\d"' } ]
        |                    ^^
    hint: a backslash in a string is written \\
  1 problem
  === a template that is not closed
  sources: { i: stdin }
  sinks: { o: { console: 'at \(.a' } }
  --- 2
  p.yaml:2:28: this \( is not closed
      2 | sinks: { o: { console: 'at \(.a' } }
        |                            ^^
    hint: close it with )
  1 problem
  === a mistake in a template
  sources: { i: stdin }
  sinks: { o: { console: 'at \(.a +)' } }
  --- 2
  p.yaml:2:34: in this expression: syntax error, unexpected ')'
      2 | sinks: { o: { console: 'at \(.a +)' } }
        |                                  ^
    hint: an expression was expected
  1 problem
  === a mistake in a mapping
  sources: { i: stdin }
  steps: [ { map: { a: .a, b: '.b &&' } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:33: in this expression: syntax error, unexpected '&', expecting an operator or the end
      2 | steps: [ { map: { a: .a, b: '.b &&' } } ]
        |                                 ^
    hint: for && write and
  1 problem
  === a mistake in the second line
  sources: { i: stdin }
  steps:
    - map: |
        .a
        | .b ||
  sinks: { o: console }
  --- 2
  p.yaml:5:13: in this expression: syntax error, unexpected '|'
      5 |       | .b ||
        |             ^
    hint: for || write or
  1 problem
  === reduce without an update
  sources: { i: stdin }
  steps: [ { map: 'reduce .[] as $x (0)' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:37: in this expression: syntax error, unexpected ')', expecting ';'
      2 | steps: [ { map: 'reduce .[] as $x (0)' } ]
        |                                     ^
  1 problem
  === as without a variable
  sources: { i: stdin }
  steps: [ { map: '.a as b | b' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:24: in this expression: syntax error, unexpected 'b', expecting a variable as in $x, or '[' or '{'
      2 | steps: [ { map: '.a as b | b' } ]
        |                        ^
  1 problem
  === an object key that is a number
  sources: { i: stdin }
  steps: [ { map: '{1: .a}' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:19: in this expression: May need parentheses around object key expression
      2 | steps: [ { map: '{1: .a}' } ]
        |                   ^
  1 problem
  === a label that is not there
  sources: { i: stdin }
  steps: [ { map: 'break $out' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:18: in this expression: there is no label $out
      2 | steps: [ { map: 'break $out' } ]
        |                  ^^^^^^^^^^
    hint: write label $out | … break $out
  1 problem
  === input in an expression
  sources: { i: stdin }
  steps: [ { map: input } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:17: an expression sees one event: there is no input to read
      2 | steps: [ { map: input } ]
        |                 ^^^^^
    hint: scan and window see several events, join those of another stream
  1 problem
  === import in an expression
  sources: { i: stdin }
  steps: [ { map: 'import "x" as x; .' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:18: in this expression: modules cannot be read here
      2 | steps: [ { map: 'import "x" as x; .' } ]
        |                  ^^^^^^^^^^^^^^^^
  1 problem
  """##
