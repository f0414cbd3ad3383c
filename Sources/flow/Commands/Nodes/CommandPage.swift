import Language

/// flow(1): the manual page of the command, from the same declarations as its help.
enum CommandPage {
  static let pages = ["flow", "flow-pipeline", "flow-nodes"]

  /// The manual page of that name; nil if there is none.
  static func named(_ name: String) -> String? {
    switch name {
    case "flow": text
    case "flow-pipeline": reference.pipeline
    case "flow-nodes": reference.nodes
    default: nil
    }
  }

  static let reference = ReferencePages(
    .all, version: VersionCommand.version, date: VersionCommand.date)

  private static var text: String {
    var page = ManPage(
      "flow", section: 1, "watch APIs, feeds, pages and tables, and turn what changes in them into events",
      version: VersionCommand.version,
      date: VersionCommand.date)
    page.heading("Synopsis")
    page.text("`flow` COMMAND [OPTION…] [OPERAND…]")
    page.heading("Description")
    page.text(
      """
      A pipeline is one YAML file. Its sources poll APIs, feeds, pages and tables, read files or receive webhooks, its steps \
      turn what they read into changes, and its sinks write, notify or run commands. `flow run` runs pipelines until they are stopped.

      `flow-pipeline`(5) describes the file, `flow-nodes`(7) the sources, steps and sinks.
      """)
    page.heading("Commands")
    for command in Command.all { page.add(command) }
    page.heading("Exit status")
    for (status, meaning) in statuses { page.item(status, meaning) }
    page.heading("Environment")
    for (name, meaning) in variables { page.item(name, meaning) }
    page.heading("Files")
    for (path, meaning) in files { page.item(path, meaning) }
    page.heading("Examples")
    for (command, what) in RunCommand.manual.examples {
      page.text("\(what.prefix(1).uppercased())\(what.dropFirst()):")
      page.code(command)
    }
    page.heading("See also")
    page.text("`flow-pipeline`(5), `flow-nodes`(7), `jq`(1)")
    return page.source
  }

  private static let statuses = [
    ("0", "success"), ("1", "failed at run time; a test failed"),
    ("2", "wrong usage, or a file that is invalid or cannot be read or written"),
    ("3", "flow eval: a syntax error in the program"),
    ("4", "flow eval -e: there was no output"),
    ("5", "flow eval: a run-time error of the program, or input that is not JSON"),
    ("130", "interrupted from the keyboard"),
  ]

  /// The variables of the environment that the command reads.
  static let variables = [
    ("HOME", "the folder of settings, state and data, where the XDG variables are not set"),
    ("XDG_CONFIG_HOME", "the folder of flow/config.yaml (~/.config)"),
    ("XDG_STATE_HOME", "the folder of flow, with the state of pipelines and the HTTP cache (~/.local/state)"),
    (
      "STATE_DIRECTORY",
      "set by systemd (StateDirectory=): the folder of the state, instead of that in XDG_STATE_HOME"
    ),
    (
      "NOTIFY_SOCKET",
      "set by systemd (Type=notify): the start, reloads, the status and the end are reported there"
    ),
    ("WATCHDOG_USEC", "set by systemd (WatchdogSec=): each half of it all lanes must answer"),
    ("WATCHDOG_PID", "set by systemd: the process that WATCHDOG_USEC is for"),
    ("LISTEN_FDS", "set by systemd (a socket unit): --page without an address uses the first socket"),
    ("LISTEN_PID", "set by systemd: the process that LISTEN_FDS is for"),
    ("TMPDIR", "the folder of what a browser keeps while it runs (/tmp)"),
    ("XDG_DATA_HOME", "the folder of the user's flow/pipelines (~/.local/share)"),
    (
      "CREDENTIALS_DIRECTORY",
      "set by systemd: the folder of the service's credentials, for ${credential:NAME}"
    ),
    ("JOURNAL_STREAM", "set by systemd: messages to the journal get a priority instead of the time"),
    ("XDG_DATA_DIRS", "the folders of installed flow/pipelines (/usr/local/share:/usr/share)"),
    ("TZ", "the time zone of local times and schedules, where config.yaml has none"),
    ("NO_COLOR", "if it is not empty, output has no colours"),
    ("TERM", "output has no colours if it is dumb"),
    ("JQ_COLORS", "the colours of flow eval"),
    (
      "PAGER",
      "what shows pages of flow docs that do not fit the terminal, instead of less; none if it is empty"
    ),
    ("PATH", "where commands of pipelines are searched"),
  ]

  private static let files = [
    ("config.yaml", "settings: next to the pipeline, in the working directory, or in ~/.config/flow"),
    ("~/.local/state/flow/NAME.db", "the state of the pipeline NAME"),
    ("~/.local/share/flow/pipelines", "pipelines that flow run and other commands find by name"),
  ]
}

extension ManPage {
  fileprivate mutating func add(_ command: Command) {
    guard let manual = command.manual else {
      subheading("flow \(command.usage)")
      return text(command.summary.sentence)
    }
    if manual.parts.isEmpty { return add(manual) }
    subheading("flow \(manual.usage)")
    text(manual.summary.sentence)
    text(manual.about)
    for part in manual.parts { add(part) }
  }

  private mutating func add(_ manual: Manual) {
    subheading("flow \(manual.usage)")
    text(manual.summary.sentence)
    text(manual.about)
    for (title, options) in manual.groups {
      if manual.groups.count > 1 { text("\(title):") }
      for option in options { item(option.spelled, option.summary.sentence) }
    }
    for (command, what) in manual.examples where manual.name != RunCommand.manual.name {
      text("Example: \(what)")
      code(command)
    }
  }
}
