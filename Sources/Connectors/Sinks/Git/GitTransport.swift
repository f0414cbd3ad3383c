import Delivery
import Engine
import JSON
import Language
import Reactive
import Store
import System

/// A version to commit, as it is stored in the outbox.
struct GitItem: DeliveryItem, JSONRecord {
  var content: String
  /// The first line of the message; nil for the counts of changes.
  var subject: String?
  /// When it was polled, in seconds since 1970; nil for one that an earlier version has stored.
  var at: Double?
  var event: Event? { nil }

  static let form = RecordForm<Self>(
    Self.init(content:subject:at:), Field("content", \.content), Field("subject", \.subject),
    Field("at", \.at))
}

/// Commits versions of a file with git, on a thread of its own.
///
/// Every step may be repeated: what is committed already makes no second commit, and what was not pushed is pushed by
/// the next attempt. The reflog has the id of each commit, so after a crash an older version never follows a newer one.
struct GitTransport: SingleTransport {
  let delivers = Deliverable.command
  let retriesInRealTime = true
  let path: String
  var pushes = false
  var author: (name: String, mail: String)?
  private let timeout: Duration
  /// Without state nothing is delivered again, and ids may be those of another run.
  private let hasState: Bool
  private let key: Expression
  private let label: Expression?
  private let world: World
  private let thread = SerialScheduler(name: "flow-git")

  init(path: String, key: Expression, label: Expression?, timeout: Duration, _ context: SinkContext) {
    (self.path, self.timeout, hasState) = (path, timeout, context.outbox != nil)
    (self.key, self.label, world) = (key, label, context.lane.world)
  }

  func begin(_ item: GitItem, id: String, _ end: @escaping DeliveryEnd) -> Subscription {
    let stop = StopSign()
    thread.perform { [self] in
      do {
        try commit(item, id, stop)
        end(nil)
      } catch let failure as DeliveryFailure {
        end(failure)
      } catch {
        end(DeliveryFailure("\(error)", mayPass: true))
      }
    }
    let attempt = Subscription()
    attempt.onDispose { stop.set() }
    return attempt
  }

  private var authorSettings: [String] {
    author.map { ["-c", "user.name=\($0.name)", "-c", "user.email=\($0.mail)"] } ?? []
  }

  /// The message where there is no repository, or one in which git knows no author; nil for others, and where that
  /// cannot be seen.
  func missing() -> String? {
    let stop = StopSign()
    guard let inside = try? run(["rev-parse", "--is-inside-work-tree"], stop) else { return nil }
    if inside.status != 0 {
      // What owns it, or a folder that is still to be made, is for the delivery.
      return inside.errors.has("not a git repository") ? noRepository(inside.errors) : nil
    }
    guard let found = try? run(authorSettings + ["var", "GIT_COMMITTER_IDENT"], stop), found.status != 0
    else { return nil }
    return "git has no author for commits to \(path): set author, as in author: flow <flow@example.org>, "
      + "or user.name and user.email with git config"
  }

  private func noRepository(_ errors: String) -> String {
    "\(path) is not in a git repository; make one with git init (\(printable(errors)))"
  }

  private func commit(_ item: GitItem, _ id: String, _ stop: StopSign) throws {
    let name = splitPath(path).name
    let inside = try run(["rev-parse", "--is-inside-work-tree"], stop)
    if inside.status != 0 {
      throw DeliveryFailure(noRepository(inside.errors), mayPass: false)
    }
    if hasState, try isCommitted(id, stop) {
      if pushes, try isAhead(stop) { try succeed(["push", "--quiet"], stop) }
      return
    }
    let before = try run(["show", "HEAD:./\(name)"], stop, limit: 256 << 20)
    try WholeFile(path: path, mode: 0o644, syncs: false, disk: world.disk).write(Array(item.content.utf8))
    try succeed(["add", "--", name], stop)
    if try run(["diff", "--cached", "--quiet", "--", name], stop).status != 0 {
      let message = try message(item, before: before.status == 0 ? before.output : nil)
      try succeed(
        authorSettings + ["commit", "--quiet", "--file=-", "--", name], stop, input: Array(message.utf8),
        environment: dates(item).merging(["GIT_REFLOG_ACTION": "flow \(id)"]) { $1 })
      if pushes { try succeed(["push", "--quiet"], stop) }
    } else if pushes, try isAhead(stop) {
      try succeed(["push", "--quiet"], stop)
    }
  }

  /// The dates of the commit: those of the poll, however often it was tried.
  private func dates(_ item: GitItem) -> [String: String] {
    guard let at = item.at.flatMap({ Int(exactly: $0.rounded(.down)) }) else { return [:] }
    let minutes = (SystemZone(key.scope.timeZone)?.offset(at: at) ?? 0) / 60
    let (hours, rest) = abs(minutes).quotientAndRemainder(dividingBy: 60)
    let sign = minutes < 0 ? "-" : "+"
    let digits = "\(10_000 + hours * 100 + rest)".dropFirst()
    let date = "@\(at) \(sign)\(digits)"
    return ["GIT_AUTHOR_DATE": date, "GIT_COMMITTER_DATE": date]
  }

  /// Whether this version, or a later one that the same state has numbered, is committed on this branch.
  private func isCommitted(_ id: String, _ stop: StopSign) throws -> Bool {
    guard let dash = id.lastIndex(of: "-"), let serial = Int(id[id.index(after: dash)...]) else {
      return false
    }
    let mark = "flow \(id[...dash])"
    let reflog = try run(
      ["log", "--walk-reflogs", "-n", "1000", "--format=%H %gs", "HEAD"], stop, limit: 1 << 20)
    for line in String(decoding: reflog.output, as: UTF8.self).split(separator: "\n") {
      let parts = line.split(separator: " ", maxSplits: 1)
      guard parts.count == 2, parts[1].hasPrefix(mark),
        let found = Int(parts[1].dropFirst(mark.count).prefix { $0.isNumber }), found >= serial
      else { continue }
      return try run(["merge-base", "--is-ancestor", String(parts[0]), "HEAD"], stop).status == 0
    }
    return false
  }

  /// Whether a commit was not pushed.
  private func isAhead(_ stop: StopSign) throws -> Bool {
    let count = try run(["rev-list", "--count", "@{upstream}..HEAD"], stop)
    return String(decoding: count.output, as: UTF8.self) != "0\n"
  }

  private func message(_ item: GitItem, before: [UInt8]?) throws -> String {
    let after = try rows(Array(item.content.utf8))
    let prefix = "\(splitPath(path).name.split(separator: ".").first.map(String.init) ?? path): "
    guard let before else {
      return (item.subject ?? "\(prefix)\(after.count) row\(after.count == 1 ? "" : "s")") + "\n"
    }
    // Another program may have written the version before, in another form.
    let changes = GitChanges(from: (try? rows(before)) ?? [], to: after)
    let lines = changes.lines
    return ([item.subject ?? prefix + changes.summary] + (lines.isEmpty ? [] : [""] + lines)).joined(
      separator: "\n")
      + "\n"
  }

  /// The rows of a version, with their keys and labels.
  private func rows(_ content: [UInt8]) throws -> [GitRow] {
    let key = Evaluation(self.key, in: world)
    let label = self.label.map { Evaluation($0, in: world) }
    let form = GitVersion.Form(path: path)
    return try form.rows(content).compactMap { row in
      let event = Event(row, Poll(source: "", at: 0))
      guard let value = try? key.first(event) else { return nil }
      // A table without the column had another key, or is of another program.
      if form == .csv, value.isNull { return nil }
      let name = GitVersion.name(value)
      let shown = label.flatMap { try? $0.first(event)?.string }
      return GitRow(key: name, label: printable(shown ?? (name.isEmpty ? "null" : name)), row: row)
    }
  }

  private func succeed(
    _ arguments: [String], _ stop: StopSign, input: [UInt8] = [], environment: [String: String] = [:]
  ) throws {
    let result = try run(arguments, stop, input: input, environment: environment)
    if result.status == 0 { return }
    let reason = result.errors.isEmpty ? "exit status \(result.status)" : result.errors
    throw DeliveryFailure("git \(Self.verb(arguments)): \(printable(reason))", mayPass: true)
  }

  private static func verb(_ arguments: [String]) -> String {
    arguments.first { !$0.hasPrefix("-") && !$0.contains("=") } ?? ""
  }

  /// Runs git to its end; throws if it does not come to one, which says nothing about the repository.
  private func run(
    _ arguments: [String], _ stop: StopSign, input: [UInt8] = [], limit: Int = 1 << 16,
    environment: [String: String] = [:]
  ) throws -> (status: Int32, output: [UInt8], errors: String) {
    let folder = splitPath(path).folder
    var command = ChildCommand(
      arguments: ["git", "-C", folder.isEmpty ? "." : folder] + arguments, output: .captured(limit: limit),
      timeout: timeout)
    // A question on a terminal would never be answered.
    command.environment = environment.merging(["GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"]) { $1 }
    var errors: [String] = []
    let result = command.run(input: input, stop: stop) { if errors.count < 5 { errors.append($0) } }
    guard case .exited(let status) = result.end else {
      throw result.end.failure(of: "git \(Self.verb(arguments))") ?? .cancelled
    }
    return (status, result.output, errors.filter { !$0.isEmpty }.joined(separator: " "))
  }
}
