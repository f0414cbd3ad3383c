/// The command that says which flow this is.
enum VersionCommand {
  static let version = "0.1.0"

  static let command = Command(name: "version", usage: "version", summary: "say which flow this is") { _ in
    Terminal.say("flow \(version) (jq 1.8)\n")
    return ExitStatus.done
  }
}
