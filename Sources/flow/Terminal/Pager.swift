import Glibc
import Language

/// A pager for texts longer than the terminal: `$PAGER`, otherwise less.
enum Pager {
  static let off = CommandOption("no-pager", .flag, "print everything at once, on a terminal too")

  /// Shows a text: through the pager where it does not fit the terminal.
  static func show(_ text: String, _ arguments: Arguments) {
    let rows = Terminal.size(1)?.rows ?? 0
    guard !arguments.has(off), Terminal.isTerminal(0), rows > 0,
      text.utf8.count(where: { $0 == 0x0A }) >= rows,
      let command = command({ Terminal.environment($0) })
    else { return Terminal.say(text) }
    // As git does, so that a less that $PAGER names shows colours too.
    setenv("LESS", "FRX", 0)
    guard let pager = popen(command, "w") else { return Terminal.say(text) }
    // Ctrl-C is the pager's, which may also end before it has read everything.
    signal(SIGINT, SIG_IGN)
    signal(SIGPIPE, SIG_IGN)
    fputs(text, pager)
    // A shell's status for a command that is not there.
    if pclose(pager) >> 8 == 127 { Terminal.say(text) }
  }

  /// The command of the pager; nil for none.
  static func command(_ environment: (String) -> String?) -> String? {
    if environment("TERM") == "dumb" { return nil }
    if let pager = environment("PAGER") { return pager.isEmpty || pager == "cat" ? nil : pager }
    let folders = (environment("PATH") ?? "").split(separator: ":")
    return folders.contains { access("\($0)/less", X_OK) == 0 } ? "less -FRX" : nil
  }
}
