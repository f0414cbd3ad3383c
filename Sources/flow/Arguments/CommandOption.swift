/// Names that `flow completions` lists, for shells to offer.
enum KnownNames: String, Sendable, CaseIterable {
  /// Installed pipelines.
  case installed
  /// Pipelines that run or have state.
  case running
}

/// An option of a command, declared once: parser, help and shell completions are derived from it.
///
///     static let lines = CommandOption("lines", short: "n", .value("NUM"), "how many lines of the past")
///
/// Two options are the same if their names are.
struct CommandOption: Equatable, Sendable {
  enum Form: Sendable {
    case flag
    /// On as `--name`, off as `--no-name`; the last one given counts.
    case toggle
    /// Any text; the help shows it under this name.
    case value(String)
    /// Any text, which may be left out: `--name` or `--name=TEXT`; the help shows it under this name.
    case optional(String)
    /// A path, which shells complete; the help shows it under this name.
    case path(String)
    /// One of these words.
    case choice([String])
    /// Several of these words, separated by commas; the command checks them. The help shows it under this name.
    case list(String, of: [String])
    /// A name and a text or path, taken as they are even where they look like options; the help shows both.
    case pair(String, String)
  }

  /// Without the dashes.
  let name: String
  let short: Character?
  let form: Form
  /// A summary without a full stop; the help wraps it.
  let summary: String
  /// The names that its value may be.
  let known: KnownNames?

  init(
    _ name: String, short: Character? = nil, _ form: Form, _ summary: String, or known: KnownNames? = nil
  ) {
    self.known = known
    self.name = name
    self.short = short
    self.form = form
    self.summary = summary
  }

  static func == (one: CommandOption, other: CommandOption) -> Bool { one.name == other.name }

  /// The option that every command has.
  static let help = CommandOption("help", short: "h", .flag, "show this help")

  /// The placeholder for the option's value in the help; nil for a flag.
  var valueName: String? {
    switch form {
    case .flag, .toggle: nil
    case .value(let name), .optional(let name), .path(let name), .list(let name, _): name
    case .choice(let words): words.joined(separator: "|")
    case .pair(let first, let second): "\(first) \(second)"
    }
  }

  /// As in `-n, --lines NUM`.
  var spelled: String {
    let names = spellings.joined(separator: ", ")
    if case .optional(let value) = form { return "\(names)[=\(value)]" }
    return names + (valueName.map { " \($0)" } ?? "")
  }

  /// All spellings of the option: `-n`, `--lines`, `--no-color`.
  var spellings: [String] {
    var all = ["--\(name)"]
    if case .toggle = form { all.append("--no-\(name)") }
    if let short { all.insert("-\(short)", at: 0) }
    return all
  }
}
