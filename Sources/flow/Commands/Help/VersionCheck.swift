import Engine
import Language

/// `flow version`: prints the version, and with `--check` whether there is a newer one.
extension VersionCommand {
  static let manual = Manual(
    "version", "print the version, and ask for a newer one", options: [check, PipelineFiles.config],
    about: """
      With --check it requests one address, the feed of releases that `releases` names in config.yaml, and prints the \
      versions in it that are newer than this one. It is the only time that flow looks for one: nothing does so by \
      itself, and without that setting there is no address. The exit status is 0 in both cases, and 1 where the feed \
      could not be read.
      """,
    examples: [
      ("flow version", "this one"),
      ("flow version --check", "with releases: https://example.org/flow/releases.atom in config.yaml"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let feed = arguments.has(check) ? try ReleaseFeed(arguments) : nil
    Terminal.say(line)
    guard let feed else { return ExitStatus.done }
    do {
      let newer = try feed.releases(after: version)
      for release in newer { Terminal.say("newer: \(release)\n") }
      if newer.isEmpty { Terminal.say("there is no newer one\n") }
    } catch {
      Terminal.complain("flow version: \(feed.masked("\(error)"))\n")
      return ExitStatus.failed
    }
    return ExitStatus.done
  }
}
