import Glibc
import Engine
import Language
import Page
import System

/// `flow install-service`: writes a systemd unit of the user for a pipeline.
enum InstallServiceCommand {
  static let force = CommandOption("force", .flag, "overwrite an existing unit")
  static let output = CommandOption(
    "output", short: "o", .path("FILE"), "write the unit to this file; - prints it")

  static let manual = Manual(
    "install-service", "write a systemd unit that runs a pipeline for you",
    operands: .one("FILE", or: .installed),
    options: [PipelineFiles.set, PipelineFiles.config] + RunPage.options + [output, force],
    about: """
      The unit is flow-NAME.service in ~/.config/systemd/user, where NAME is the name of the pipeline. It runs FILE with \
      the present working directory, and restarts it after a failure; an invalid file stops it. Variables of the \
      environment, such as keys, are read from ~/.config/flow/environment, one NAME=VALUE a line; those of the pipeline \
      that are not there are named. With --page the unit serves the page too.

      For the whole system, make install and the Debian package install flow@.service: it runs the pipeline NAME of \
      /etc/flow/pipelines, or an installed one, as flow@NAME, under a user of its own.
      """,
    examples: [
      ("flow install-service new-launches", "then enable it, as it prints"),
      ("flow install-service --page=0.0.0.0 new-launches", "with its page, also for a phone at home"),
      ("flow install-service -o - new-launches", "only show the unit"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let files = try PipelineFiles(arguments.operands, arguments)
    // A variable that is not set here must be set in the service.
    files.complain(withWarnings: true)
    guard files.isRight, files.isDecided, files.hasTimeZones, let plan = files.plans.first else {
      return ExitStatus.usage
    }
    guard let binary = real("/proc/self/exe"), let folder = real("."), let path = real(plan.path) else {
      Terminal.complain("flow install-service: \(plan.path) has no path of its own; name a file\n")
      return ExitStatus.usage
    }
    var run = [binary, "run"]
    for setting in arguments.texts(PipelineFiles.set) { run += ["--set", setting] }
    if let config = arguments.text(PipelineFiles.config).map({ real($0) ?? $0 }) {
      run += ["--config", config]
    }
    try RunPage.checkStrays(arguments)
    if let page = arguments.text(RunPage.page) {
      _ = try RunPage.address(page, RunPage.page)
      run.append("--page" + (page.isEmpty ? "" : "=\(page)"))
      if arguments.has(RunPage.pictures) { run.append("--page-pictures") }
      for names in arguments.texts(RunPage.name) { run += ["--page-host", names] }
    }
    let unit = ServiceUnit(description: plan.description, command: run + [path], folder: folder)
    let name = ServiceUnit.name(plan.name)
    if arguments.text(output) == "-" {
      Terminal.say(unit.text)
      return ExitStatus.done
    }
    let target = try target(arguments, name)
    NewFile.makeFolders(of: target)
    if let problem = NewFile.write(Array(unit.text.utf8), to: target, isForced: arguments.has(force)) {
      Terminal.complain("flow install-service: \(problem)\n")
      return ExitStatus.usage
    }
    Terminal.complain("wrote \(target)\n")
    if !arguments.has(output) {
      Terminal.complain(
        """
        Start it now and at each login (after loginctl enable-linger, at each boot):
          systemctl --user daemon-reload
          systemctl --user enable --now \(name)
        Its log: journalctl --user -u \(name) -f

        """)
      if let page = arguments.text(RunPage.page) {
        try report(RunPage.address(page, RunPage.page), arguments)
      }
    }
    report(files.variables)
    return ExitStatus.done
  }

  /// Says where the page will be.
  private static func report(_ address: PageAddress, _ arguments: Arguments) throws(WrongUse) {
    let token =
      address.isLoopback ? nil : try PageToken.given() ?? RunPage.token(in: PageToken.folder(arguments))
    Terminal.complain("Its page: \(address.urls(token: token).joined(separator: " or "))\n")
  }

  /// Names the variables that the pipeline takes from the environment and that the service does not have.
  private static func report(_ variables: [String]) {
    guard let folder = configFolder else { return }
    let file = "\(folder)/flow/environment"
    let given = (try? readFile(file, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    let names = given.split(whereSeparator: \.isNewline).map { $0.prefix { $0 != "=" }.filter { $0 != " " } }
    // Those that systemd sets.
    let known = ["HOME", "LANG", "LOGNAME", "PATH", "SHELL", "USER", "XDG_RUNTIME_DIR"]
    let missing = variables.filter { !names.contains($0) && !known.contains($0) }
    if missing.isEmpty { return }
    Terminal.complain(
      "The pipeline reads \(missing.joined(separator: ", ")) from the environment; the service takes "
        + "\(missing.count == 1 ? "it" : "them") from \(file), one NAME=VALUE a line\n")
  }

  private static var configFolder: String? {
    if let folder = Terminal.environment("XDG_CONFIG_HOME"), folder.hasPrefix("/") { return folder }
    guard let home = Terminal.environment("HOME"), !home.isEmpty else { return nil }
    return "\(home)/.config"
  }

  private static func target(_ arguments: Arguments, _ name: String) throws(WrongUse) -> String {
    if let path = arguments.text(output) { return path }
    if let folder = configFolder { return "\(folder)/systemd/user/\(name)" }
    throw WrongUse("neither XDG_CONFIG_HOME nor HOME is set; name the unit's file with --output")
  }

  private static func real(_ path: String) -> String? {
    guard let found = realpath(path, nil) else { return nil }
    defer { free(found) }
    return String(cString: found)
  }
}

/// A unit for the systemd of a user.
struct ServiceUnit {
  let description: String
  let command: [String]
  let folder: String

  /// The name of the unit of a pipeline, with the characters that systemd allows.
  static func name(_ pipeline: String) -> String {
    let name = pipeline.unicodeScalars.map { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789:_.-".unicodeScalars.contains(scalar))
        ? Character(scalar) : "-"
    }
    return "flow-\(String(name)).service"
  }

  var text: String {
    """
    # Written by flow install-service. Put changes in a drop-in: systemctl --user edit UNIT
    [Unit]
    Description=flow: \(Self.line(description.isEmpty ? command.last ?? "" : description))
    Documentation=man:flow(1)
    # A pipeline that fails at once, again and again, is started five times in ten minutes.
    StartLimitIntervalSec=10min
    StartLimitBurst=5

    [Service]
    Type=notify
    ExecStart=\(command.map(Self.word).joined(separator: " "))
    ExecReload=kill -HUP $MAINPID
    # A pipeline whose steps or sinks hang is restarted.
    WatchdogSec=5min
    WorkingDirectory=\(Self.line(folder))
    EnvironmentFile=-%E/flow/environment
    Restart=on-failure
    RestartSec=10s
    # An invalid file does not become valid by itself.
    RestartPreventExitStatus=2
    # flow stops its commands itself, within --grace (10 s).
    KillMode=mixed
    TimeoutStopSec=30s
    NoNewPrivileges=yes
    LockPersonality=yes
    RestrictRealtime=yes
    RestrictSUIDSGID=yes
    SystemCallArchitectures=native

    [Install]
    WantedBy=default.target

    """
  }

  /// A text up to the end of a line, without specifiers.
  private static func line(_ text: String) -> String {
    String(text.map { $0.isNewline ? " " : $0 }).split(separator: "%", omittingEmptySubsequences: false)
      .joined(separator: "%%")
  }

  /// An argument of `ExecStart`, in quotes where it needs them.
  private static func word(_ text: String) -> String {
    var quoted = ""
    for character in text {
      switch character {
      case "\\": quoted += "\\\\"
      case "\"": quoted += "\\\""
      case "%": quoted += "%%"
      case "$": quoted += "$$"
      case "\n": quoted += "\\n"
      case "\r\n": quoted += "\\r\\n"
      default: quoted.append(character)
      }
    }
    let isPlain = text.unicodeScalars.allSatisfy {
      !$0.properties.isWhitespace && !"'\"\\;".unicodeScalars.contains($0)
    }
    return isPlain && !text.isEmpty ? quoted : "\"\(quoted)\""
  }
}
