import JSON
import Engine
import Language
import Engine
import Language
import Reactive

/// `console`: prints events to standard output, as JSON, as lines of a template, or as a table.
let console = NodeSpec(
  "console", "print events to standard output: as JSON, by a template, or as a table",
  details: """
    Without options each event is a line: a text as it is, anything else as compact JSON.

    On a terminal a table shows the last poll of each source and is drawn anew in place. Behind steps that tell only \
    what is new, such as changes, and with `live: false`, rows are printed below each other instead, as they are where \
    there are no polls. When standard output is no terminal, rows are lines with \
    tabs between the cells.

    Control characters in what is printed become escapes, so that no text from an API can move the cursor or worse; \
    only where standard output is no terminal do templates and texts keep their line breaks and tabs.
    """,
  options: AnyOption.list(
    ConsoleOptions.template, ConsoleOptions.table, ConsoleOptions.json, ConsoleOptions.color,
    ConsoleOptions.header, ConsoleOptions.maxRows, ConsoleOptions.live, ConsoleOptions.clip),
  shorthand: "template",
  examples: [
    .init("each event as JSON", "console"),
    .init("a line each", #"console: '\(.name) slipped to \(.net)'"#),
    .init("a table", "console: { table: [.name, .net, .status.abbrev] }"),
    .init(
      "a table with colours",
      #"console: { table: { Launch: .name, When: .net }, color: 'if .status == "Go" then "green" else null end' }"#
    ),
    .init(
      "a log of changes, as rows below each other",
      "console: { table: { Change: .type, Launch: .after.name }, live: false, header: false, max_rows: 20 }"),
    .init(
      "JSON to be read by people, on lines no longer than the terminal is wide",
      "console: { json: pretty, clip: true }"),
  ],
  check: { options, checker in
    if options.isGiven(ConsoleOptions.table), options.isGiven(ConsoleOptions.template) {
      checker.report(
        "console prints either a template or a table", at: options.place(of: ConsoleOptions.template),
        hint: "a column of a table may be a jq string: { Launch: '\"\\(.name) (\\(.id))\"' }")
    }
  },
  .sink { options, context in
    let painter = ConsolePainter(options[ConsoleOptions.color], context)
    if let columns = options[ConsoleOptions.table] {
      let form = ConsoleTable.Form(
        columns: columns, hasHeader: options[ConsoleOptions.header],
        isLive: options[ConsoleOptions.live] ?? context.isGivenSnapshots,
        maxRows: options[ConsoleOptions.maxRows])
      return ConsoleTable(form, painter, context)
    }
    return ConsoleLines(
      template: options[ConsoleOptions.template], isPretty: options[ConsoleOptions.json] == .pretty,
      clips: options[ConsoleOptions.clip], painter, context)
  })

private enum ConsoleOptions {
  enum JSONForm: String, CaseIterable, Sendable { case compact, pretty }

  static let template = Option.optional(
    "template", .template, "a line for each event", example: #"'\(.name): \(.net)'"#)
  static let table = Option.optional(
    "table", .columns, "the columns of a table, each an expression; a mapping names their headers",
    example: "[.name, .net]")
  static let json = Option(
    "json", .choice(of: JSONForm.self), default: "compact", "how JSON is written when there is neither")
  static let color = Option.optional(
    "color", .expression, "gives the style of a line, such as “red” or “bold green”; only used on a terminal",
    example: #"if .status == "Go" then "green" else "yellow" end"#)
  static let header = Option("header", .boolean, default: "true", "whether a table has a line of headers")
  static let maxRows = Option.optional(
    "max_rows", .integer(1...), "how many rows a table on a terminal has; no more than fit, in any case",
    example: "20")
  static let live = Option.optional(
    "live", .boolean,
    "whether a table on a terminal is drawn anew in place; by itself, where polls come as a whole")
  static let clip = Option(
    "clip", .boolean, default: "false", "whether lines longer than the terminal is wide are cut")
}
