import Engine
import Language

/// `flow version`: prints the version.
///
/// Reports, recordings and requests name it too.
enum VersionCommand {
  static let version = "0.2.0"
  /// The day of the version, for manual pages.
  static let date = "2026-11-27"

  static let command = Command(name: "version", usage: "version", summary: "print the version") { _ in
    Terminal.say("flow \(version) (jq 1.8)\n")
    return ExitStatus.done
  }
}
