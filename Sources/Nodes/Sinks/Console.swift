import JSON
import Engine
import Language
import Reactive

/// `console`: prints events to standard output, as JSON, as lines of a template, or as a table.
package let console = NodeSpec(
  "console", "print events to standard output: as JSON, by a template, or as a table",
  reference: .init(PackageResources.console_md),
  options: AnyOption.list(
    ConsoleOptions.template, ConsoleOptions.table, ConsoleOptions.json, ConsoleOptions.color,
    ConsoleOptions.header, ConsoleOptions.maxRows, ConsoleOptions.live, ConsoleOptions.clip),
  shorthand: "template",
  check: { options, checker in
    if options.isGiven(ConsoleOptions.table), options.isGiven(ConsoleOptions.template) {
      checker.report(
        "console prints either a template or a table", at: options.place(of: ConsoleOptions.template),
        hint: "a column of a table may be a jq string: { Launch: '\"\\(.name) (\\(.id))\"' }")
    }
    if let word = options[ConsoleOptions.template]?.constant, let hint = ConsoleOptions.meant[word] {
      checker.report(
        "this prints the word \(quoted(word)) for each event",
        at: options.place(of: ConsoleOptions.template), hint: hint)
    }
  },
  .sink { options, context in
    let painter = ConsolePainter(options[ConsoleOptions.color], context)
    if let columns = options[ConsoleOptions.table] {
      let form = ConsoleTable.Form(
        columns: columns, hasHeader: options[ConsoleOptions.header],
        showsPolls: options[ConsoleOptions.live] ?? context.isGivenSnapshots,
        maxRows: options[ConsoleOptions.maxRows])
      return ConsoleTable(form, painter, context)
    }
    return ConsoleLines(
      template: options[ConsoleOptions.template], isPretty: options[ConsoleOptions.json] == .pretty,
      clips: options[ConsoleOptions.clip], painter, context)
  })

private enum ConsoleOptions {
  /// Texts that are taken for options, and how to write those.
  static let meant = [
    "json": "console without options prints JSON; as in { screen: console }",
    "compact": "console without options prints compact JSON; as in { screen: console }",
    "pretty": "for readable JSON, write console: { json: pretty }",
    "table": "for a table, write console: { table: [.id, .name] }",
  ]

  enum JSONForm: String, CaseIterable, Sendable { case compact, pretty }

  static let template = Option.optional(
    "template", .template, "a line for each event", example: #"'\(.name): \(.net)'"#)
  static let table = Option.optional(
    "table", .columns, "the columns of a table, each an expression; a mapping names their headers",
    example: "[.name, .net]")
  static let json = Option(
    "json", .choice(of: JSONForm.self), default: "compact", "the form of JSON, without template and table")
  static let color = Option.optional(
    "color", .expression, "gives the style of a line, such as “red” or “bold green”; only used on a terminal",
    example: #"if .status == "Go" then "green" else "yellow" end"#)
  static let header = Option("header", .boolean, default: "true", "whether to print a header line")
  static let maxRows = Option.optional(
    "max_rows", .integer(1...), "the most rows of a table on a terminal (default: as many as fit)",
    example: "20")
  static let live = Option.optional(
    "live", .boolean,
    "whether to redraw a table in place on a terminal (default: if whole polls arrive)")
  static let clip = Option(
    "clip", .boolean, default: "false", "whether to cut lines at the width of the terminal")
}
