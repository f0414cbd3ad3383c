extension Topic {
  /// `flow docs check`: the mistakes that are found before a run.
  static let check = Topic("check", "what flow check finds: errors, warnings, hints") { _ in
    [
      .text(
        """
        `flow check FILE…` reports every mistake at once, each with file, line and column, the line itself, and \
        usually a hint. `flow run` checks the same before it starts, and runs nothing while there is an error. \
        Nothing is requested or written by a check.
        """),
      .console(
        """
        $ echo '{ sources: { i: stdin }, steps: [ { filtr: .n } ], sinks: { o: console } }' >typo.yaml
        $ flow check typo.yaml
        typo.yaml:1:37: unknown step “filtr”
            1 | { sources: { i: stdin }, steps: [ { filtr: .n } ], sinks: { o: console } }
              |                                     ^^^^^
          hint: did you mean “filter”?
        1 problem
        """),
      .heading("Errors"),
      .table(
        columns: ["part of the file", "what is found"],
        rows: [
          ["YAML", "syntax, keys that occur twice, tabs, variables of the environment that are not set"],
          [
            "nodes and options",
            "unknown kinds and options; options inside a node instead of beside it, and the reverse; values of the wrong type or out of range",
          ],
          [
            "wiring",
            "unknown streams, cycles, streams that no sink reads, two sinks on one file, two nodes that are one client of a server",
          ],
          [
            "expressions",
            "syntax, unknown functions, wrong numbers of arguments, unknown members of `$vars`, `$config` and `$meta`, uses of the environment and of `input`",
          ],
          [
            "conditions",
            "`filter`, `when` and `where` that are always true or false, as after `=` instead of `==`",
          ],
          ["config.yaml", "settings that look misspelt, limits and time zones that cannot be read"],
          ["included files", "definitions that do not compile"],
        ]),
      .heading("Warnings"),
      .text("A warning does not prevent a run and does not change the exit code."),
      .table(
        columns: ["warning", "why"],
        rows: [
          [
            "`changes` behind a source that is polled once",
            "there is no second poll to compare with, unless the pipeline is run again and again, as from cron",
          ],
          ["`.content-type`", "this subtracts; the member is `.[\"content-type\"]`"],
          ["an assignment in `select`", "`select(.a = 2)` passes everything; `==` compares"],
          [
            "`{{ .name }}` in a template, `{name}` in a file name",
            "these are other template languages; here it is `\\(.name)`",
          ],
          [
            "a `join` with a source that feeds the same chain",
            "its events are events of the chain, and are joined too",
          ],
          [
            "`|`, `>`, `&&` and the like as an argument of `exec`",
            "no shell is involved: `[sh, -c, 'echo hi | cat']`",
          ],
          ["`.name` where a template is expected", "this is that text; an expression is written `\\(…)`"],
          [
            "`.name` behind `changes`, `settle`, `alarm`, `remind` or `window`, in a template, `filter`, `when` or `clear`",
            "these send events of their own, in which the row is `.after` or `.event`",
          ],
        ]),
      .heading("Exit codes"),
      .table(
        columns: ["code", "meaning"],
        rows: [["0", "no errors"], ["2", "errors in a file, or wrong usage"]]),
      .text(
        """
        An error that depends on data appears in the run: the log names file, line and column of the expression, and \
        the event. See `flow docs errors`.
        """),
    ]
  }
}
