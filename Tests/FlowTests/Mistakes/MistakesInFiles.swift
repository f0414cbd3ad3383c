/// Mistakes in the file as a whole, its vars and its tests.
///
/// The form is that of `MistakeTableTests`.
let mistakesInFiles = ##"""
  === a misspelt key
  sources: { i: stdin }
  step: []
  sinks: { o: console }
  --- 2
  p.yaml:2:1: a pipeline has no “step”
      2 | step: []
        | ^^^^
    hint: did you mean “steps”?
  1 problem
  === another program's keys
  input: { stdin: {} }
  pipeline: { processors: [] }
  output: { stdout: {} }
  --- 2
  p.yaml:1:1: this looks like a file of another program: a pipeline has no “input”
      1 | input: { stdin: {} }
        | ^^^^^
    hint: a pipeline has sources, steps and sinks: see flow docs pipeline, and flow new for a first one
  1 problem
  === an empty file
  --- 2
  p.yaml:1:1: the file is empty
      1 | 
        | ^
    hint: a pipeline has at least sources and sinks
  1 problem
  === a list instead of a mapping
  - a
  - b
  --- 2
  p.yaml:1:1: a pipeline is expected here, not a list
      1 | - a
        | ^^^
    hint: a pipeline is a mapping with sources, steps and sinks
  1 problem
  === a tab for indentation
  sources:
  	i: stdin
  --- 2
  p.yaml:2:1: the line is indented with a tab
      2 |  i: stdin
        | ^
    hint: YAML is indented with spaces; use two
  1 problem
  === a key twice
  sources: { i: stdin }
  sinks: { o: console, o: console }
  --- 2
  p.yaml:2:22: the key “o” is given twice
      2 | sinks: { o: console, o: console }
        |                      ^
    hint: the first is at 2:10; remove or rename one
  1 problem
  === an open quote
  sources: { i: 'stdin }
  --- 2
  p.yaml:1:15: the quote that opens here is never closed
      1 | sources: { i: 'stdin }
        |               ^
    hint: close it on the same line
  1 problem
  === an open mapping
  sources: { i: stdin
  --- 2
  p.yaml:2:1: the mapping that began at 1:10 is missing “,” or “}” here
      2 | 
        | ^
    hint: close it with “}”; text with one of [ ] { } , in it needs quotes here
  1 problem
  === a bracket that is no text in a mapping of options
  sources: { i: stdin }
  steps:
    - debounce: { key: .videos[], for: 30s }
  sinks: { o: console }
  --- 2
  p.yaml:3:29: the mapping that began at 3:15 is missing “,” or “}” here
      3 |   - debounce: { key: .videos[], for: 30s }
        |                             ^
    hint: close it with “}”; text with one of [ ] { } , in it needs quotes here
  1 problem
  === a colon in a text
  sources: { i: stdin }
  steps:
    - map: a: b
  sinks: { o: console }
  --- 2
  p.yaml:3:10: in this expression: there is no function “a”
      3 |   - map: a: b
        |          ^
    hint: for a member write .a, for a text "a"
  p.yaml:3:11: unexpected “:”: there cannot be a key here
      3 |   - map: a: b
        |           ^
    hint: put the text in single quotes if it contains “: ”, or indent the line like its neighbours
  2 problems
  === vars that are a list
  sources: { i: stdin }
  vars: [a, b]
  sinks: { o: console }
  --- 2
  p.yaml:2:7: vars is a mapping of names to values, not a list
      2 | vars: [a, b]
        |       ^^^^^^
  1 problem
  === an unknown var
  sources: { i: stdin }
  vars: { limit: 1 }
  steps: [ { take: $vars.limti } ]
  sinks: { o: console }
  --- 2
  p.yaml:3:18: $vars has no “limti”
      3 | steps: [ { take: $vars.limti } ]
        |                  ^^^^^^^^^^^
    hint: did you mean “limit”?
  1 problem
  === a var of the wrong type
  sources: { i: stdin }
  vars: { n: many }
  steps: [ { take: $vars.n } ]
  sinks: { o: console }
  --- 2
  p.yaml:3:18: a whole number is expected here, not the text “$vars.n”
      3 | steps: [ { take: $vars.n } ]
        |                  ^^^^^^^
  1 problem
  === a variable of the environment that is not set
  sources: { i: stdin }
  vars: { key: '${FLOW_TEST_UNSET}' }
  sinks: { o: console }
  --- 2
  p.yaml:2:15: the variable FLOW_TEST_UNSET is not set in the environment
      2 | vars: { key: '${FLOW_TEST_UNSET}' }
        |               ^^^^^^^^^^^^^^^^^^
    hint: set it, or give a default: ${FLOW_TEST_UNSET:-…}
  1 problem
  === an include that is not there
  sources: { i: stdin }
  include: [lib/none.jq]
  sinks: { o: console }
  --- 2
  p.yaml:2:11: the file “lib/none.jq” cannot be read
      2 | include: [lib/none.jq]
        |           ^^^^^^^^^^^
    hint: included files are looked for relative to the pipeline
  1 problem
  === a text for include
  sources: { i: stdin }
  include: { a: b }
  sinks: { o: console }
  --- 2
  p.yaml:2:10: include lists files of definitions, and this is a mapping
      2 | include: { a: b }
        |          ^^^^^^^^
    hint: for example include: [lib/launch.jq]
  1 problem
  === an unknown on_stop
  sources: { i: stdin }
  on_stop: maybe
  sinks: { o: console }
  --- 2
  p.yaml:2:10: “maybe” is not one of the choices
      2 | on_stop: maybe
        |          ^^^^^
    hint: it can be “keep” or “flush”
  1 problem
  === an epoch of nothing
  sources: { i: stdin }
  epoch: { events: 0 }
  sinks: { o: console }
  --- 2
  p.yaml:2:18: the number 0 is too small; the least is 1
      2 | epoch: { events: 0 }
        |                  ^
  1 problem
  === a test without given
  sources: { i: stdin }
  tests: [ { name: a, expect: { o: [] } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:10: a test needs given: what the sources return
      2 | tests: [ { name: a, expect: { o: [] } } ]
        |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  1 problem
  === a test of an unknown sink
  sources: { i: stdin }
  tests: [ { given: { i: [] }, expect: { x: [] } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:40: unknown sink “x”
      2 | tests: [ { given: { i: [] }, expect: { x: [] } } ]
        |                                        ^
    hint: it can be “o”
  1 problem
  === a test of an unknown source
  sources: { i: stdin }
  tests: [ { given: { x: [] }, expect: { o: [] } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:21: unknown source “x”
      2 | tests: [ { given: { x: [] }, expect: { o: [] } } ]
        |                     ^
    hint: it can be “i”
  1 problem
  === a test with an unknown key
  sources: { i: stdin }
  tests: [ { givn: { i: [] }, expect: { o: [] } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:10: a test needs given: what the sources return
      2 | tests: [ { givn: { i: [] }, expect: { o: [] } } ]
        |          ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^
  p.yaml:2:12: a test has no “givn”
      2 | tests: [ { givn: { i: [] }, expect: { o: [] } } ]
        |            ^^^^
    hint: did you mean “given”?
  2 problems
  === a test with a wrong var
  sources: { i: stdin }
  vars: { a: 1 }
  tests: [ { vars: { b: 1 }, given: { i: [] }, expect: { o: [] } } ]
  sinks: { o: console }
  --- 2
  p.yaml:3:20: the pipeline has no “b” among its vars
      3 | tests: [ { vars: { b: 1 }, given: { i: [] }, expect: { o: [] } } ]
        |                    ^
    hint: it can be “a”
  1 problem
  === a time of a test that is none
  sources: { i: stdin }
  tests: [ { given: { i: [ { at: soon, poll: [] } ] }, expect: { o: [] } } ]
  sinks: { o: console }
  --- 2
  p.yaml:2:32: “soon” is not a duration
      2 | tests: [ { given: { i: [ { at: soon, poll: [] } ] }, expect: { o: [] } } ]
        |                                ^^^^
    hint: write a duration as in 500ms, 90s, 1m30s, 6h or 1d
  1 problem
  """##
