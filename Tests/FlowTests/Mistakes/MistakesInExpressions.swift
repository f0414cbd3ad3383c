/// Mistakes in expressions, templates and conditions.
///
/// The form is that of `MistakeTableTests`.
let mistakesInExpressions = ##"""
  === && instead of and
  sources: { i: stdin }
  steps: [ { filter: '.a && .b' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:24: in this expression: syntax error, unexpected '&', expecting an operator or the end
      2 | steps: [ { filter: '.a && .b' } ]
        |                        ^
    hint: for && write and
  1 problem
  === || instead of or
  sources: { i: stdin }
  steps: [ { filter: '.a || .b' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:25: in this expression: syntax error, unexpected '|'
      2 | steps: [ { filter: '.a || .b' } ]
        |                         ^
    hint: for || write or
  1 problem
  === single quotes in an expression
  sources: { i: stdin }
  steps: [ { filter: ".status == 'Go'" } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:32: in this expression: syntax error, unexpected '''
      2 | steps: [ { filter: ".status == 'Go'" } ]
        |                                ^
    hint: strings are in double quotes, as in "Go"
  1 problem
  === curly quotes
  sources: { i: stdin }
  steps: [ { filter: '.status == “Go”' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:32: in this expression: syntax error, unexpected '“'
      2 | steps: [ { filter: '.status == “Go”' } ]
        |                                ^
    hint: strings are in straight quotes, as in "Go"
  1 problem
  === ! instead of not
  sources: { i: stdin }
  steps: [ { filter: '!.done' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:21: in this expression: syntax error, unexpected '!'
      2 | steps: [ { filter: '!.done' } ]
        |                     ^
    hint: for !.a write (.a | not)
  1 problem
  === a ternary
  sources: { i: stdin }
  steps: [ { map: '.a ? 1 : 2' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:23: in this expression: syntax error, unexpected '1', expecting an operator or the end
      2 | steps: [ { map: '.a ? 1 : 2' } ]
        |                       ^
    hint: a choice is written if … then … else … end
  1 problem
  === three equals signs
  sources: { i: stdin }
  steps: [ { filter: '.a === 1' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:26: in this expression: syntax error, unexpected '='
      2 | steps: [ { filter: '.a === 1' } ]
        |                          ^
    hint: for === write ==
  1 problem
  === => instead of >=
  sources: { i: stdin }
  steps: [ { filter: '.a => 1' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:25: in this expression: syntax error, unexpected '>'
      2 | steps: [ { filter: '.a => 1' } ]
        |                         ^
    hint: for “at least” write >=
  1 problem
  === <> instead of !=
  sources: { i: stdin }
  steps: [ { filter: '.a <> 1' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:25: in this expression: syntax error, unexpected '>'
      2 | steps: [ { filter: '.a <> 1' } ]
        |                         ^
    hint: for <> write !=
  1 problem
  === JSONPath
  sources: { i: stdin }
  steps: [ { map: '$.name' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:19: in this expression: syntax error, unexpected '.name', expecting a variable as in $x
      2 | steps: [ { map: '$.name' } ]
        |                   ^^^^^
    hint: the event is . alone: write .name, not $.name
  1 problem
  === an open parenthesis
  sources: { i: stdin }
  steps: [ { map: '(.a + 1' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:24: in this expression: syntax error, unexpected end of the expression, expecting ')' or '|' or ','
      2 | steps: [ { map: '(.a + 1' } ]
        |                        ^
    hint: close it with )
  1 problem
  === an open bracket
  sources: { i: stdin }
  steps: [ { map: '[.a, .b' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:23: in this expression: syntax error, unexpected end of the expression, expecting ']' or '|' or ','
      2 | steps: [ { map: '[.a, .b' } ]
        |                       ^^
    hint: close it with ]
  1 problem
  === an open brace
  sources: { i: stdin }
  steps: [ { map: '{a: .a' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:22: in this expression: syntax error, unexpected end of the expression, expecting '}' or ','
      2 | steps: [ { map: '{a: .a' } ]
        |                      ^^
    hint: close it with }
  1 problem
  === an open string
  sources: { i: stdin }
  steps: [ { map: '.a + "x' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:24: in this expression: syntax error, unexpected end of the expression, expecting the end of the string
      2 | steps: [ { map: '.a + "x' } ]
        |                        ^
    hint: close it with "
  1 problem
  === a parenthesis too many
  sources: { i: stdin }
  steps: [ { map: '(.a + 1))' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:26: in this expression: syntax error, unexpected ')', expecting an operator or the end
      2 | steps: [ { map: '(.a + 1))' } ]
        |                          ^
    hint: nothing is open here: remove it
  1 problem
  === brackets that cross
  sources: { i: stdin }
  steps: [ { map: '[(.a])' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:22: in this expression: syntax error, unexpected ']', expecting ')' or '|' or ','
      2 | steps: [ { map: '[(.a])' } ]
        |                      ^
    hint: close what is open first, with )
  1 problem
  === an if without end
  sources: { i: stdin }
  steps: [ { map: 'if .a then 1 else 2' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:36: in this expression: syntax error, unexpected end of the expression, expecting end
      2 | steps: [ { map: 'if .a then 1 else 2' } ]
        |                                    ^
    hint: close it with end
  1 problem
  === an if without then
  sources: { i: stdin }
  steps: [ { map: 'if .a 1 else 2 end' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:24: in this expression: syntax error, unexpected '1', expecting then
      2 | steps: [ { map: 'if .a 1 else 2 end' } ]
        |                        ^
  1 problem
  === end without if
  sources: { i: stdin }
  steps: [ { map: '.a end' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:21: in this expression: syntax error, unexpected 'end', expecting an operator or the end
      2 | steps: [ { map: '.a end' } ]
        |                     ^^^
    hint: no if is open here: remove end
  1 problem
  === elseif
  sources: { i: stdin }
  steps: [ { map: 'if .a then 1 elseif .b then 2 end' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:31: in this expression: syntax error, unexpected 'elseif', expecting elif or else or end or '|' or ',' (an 'if' is not finished)
      2 | steps: [ { map: 'if .a then 1 elseif .b then 2 end' } ]
        |                               ^^^^^^
    hint: write elif
  1 problem
  === an operator without an operand
  sources: { i: stdin }
  steps: [ { map: '.a +' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:21: in this expression: syntax error, unexpected end of the expression
      2 | steps: [ { map: '.a +' } ]
        |                     ^
    hint: an expression was expected
  1 problem
  === two expressions side by side
  sources: { i: stdin }
  steps: [ { map: '.a .b "c"' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:24: in this expression: syntax error, unexpected string, expecting an operator or the end
      2 | steps: [ { map: '.a .b "c"' } ]
        |                        ^
  1 problem
  === a missing member name
  sources: { i: stdin }
  steps: [ { map: '.a.' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:20: in this expression: syntax error, unexpected end of the expression
      2 | steps: [ { map: '.a.' } ]
        |                    ^
    hint: a field name, a string or '[' was expected
  1 problem
  === a bare word for a member
  sources: { i: stdin }
  steps: [ { dedupe: id } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:20: in this expression: there is no function “id”
      2 | steps: [ { dedupe: id } ]
        |                    ^^
    hint: for a member write .id, for a text "id"
  1 problem
  === a misspelt function
  sources: { i: stdin }
  steps: [ { map: '.name | ascii_downcas' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:26: in this expression: there is no function “ascii_downcas”
      2 | steps: [ { map: '.name | ascii_downcas' } ]
        |                          ^^^^^^^^^^^^^
    hint: did you mean “ascii_downcase”?
  1 problem
  === a function of another language
  sources: { i: stdin }
  steps: [ { map: '.name | lowercase' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:26: in this expression: there is no function “lowercase”
      2 | steps: [ { map: '.name | lowercase' } ]
        |                          ^^^^^^^^^
    hint: did you mean ascii_downcase?
  1 problem
  === too few arguments
  sources: { i: stdin }
  steps: [ { map: '.a | map' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:23: in this expression: the function “map” takes 1 argument, not 0
      2 | steps: [ { map: '.a | map' } ]
        |                       ^^^
    hint: write map(…)
  1 problem
  === too many arguments
  sources: { i: stdin }
  steps: [ { map: '.a | length(1)' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:23: in this expression: the function “length” takes no arguments
      2 | steps: [ { map: '.a | length(1)' } ]
        |                       ^^^^^^
    hint: write length
  1 problem
  === a function that no library defines
  sources: { i: stdin }
  steps: [ { map: nope(.a) } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:17: in this expression: there is no function “nope”
      2 | steps: [ { map: nope(.a) } ]
        |                 ^^^^
  1 problem
  === an unknown variable
  sources: { i: stdin }
  steps: [ { filter: '.n > $nwo' } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:26: in this expression: $nwo is not defined
      2 | steps: [ { filter: '.n > $nwo' } ]
        |                          ^^^^
    hint: did you mean “$now”?
  1 problem
  === a var without $vars
  sources: { i: stdin }
  vars: { limit: 3 }
  steps: [ { filter: .n > $limit } ]
  sinks: { o: console }
  --- 2
  p.yaml:3:25: in this expression: $limit is not defined
      3 | steps: [ { filter: .n > $limit } ]
        |                         ^^^^^^
    hint: did you mean $vars.limit?
  1 problem
  === a value where a place is expected
  sources: { i: stdin }
  steps: [ { changes: { key: .id, watch: ['.n | length', '.b[0]?', .net] } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:47: this computes a value; a place in the event is expected here
      2 | steps: [ { changes: { key: .id, watch: ['.n | length', '.b[0]?', .net] } } ]
        |                                               ^^^^^^
    hint: name it, as .net or .videos[].url; map can compute it before
  1 problem
  """##
