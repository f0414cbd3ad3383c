import Delivery
import Engine
import JSON
import Language
import Reactive
import Store
import System

/// `git`: each poll as a version of a file in a git repository.
package let git = NodeSpec(
  "git", "commit the rows of each poll to a file in a git repository",
  reference: .init(PackageResources.git_md),
  options: AnyOption.list(
    GitOptions.path, GitOptions.key, GitOptions.label, GitOptions.message, GitOptions.author, GitOptions.push,
    GitOptions.allowEmpty, GitOptions.maxSize, GitOptions.timeout, GitOptions.attempts,
    DeliveryOptions.backoff),
  hasDurableState: true,
  check: { options, checker in
    if let author = options[GitOptions.author], GitOptions.person(author) == nil {
      checker.report(
        "\(quoted(author)) is not a name with a mail address", at: options.place(of: GitOptions.author),
        hint: "write it as in flow <flow@example.org>")
    }
  },
  .sink { options, context in try GitSink(options, context) })

private enum GitOptions {
  static let path = Option.required(
    "path", .path, "the file, in a git repository", example: "data/launches.json")
  static let key = Option.required("key", .expression, "the value that identifies a row", example: ".id")
  static let label = Option.optional(
    "label", .template, "what messages call a row (default: its key)", example: #"'\(.name)'"#)
  static let message = Option.optional(
    "message", .template, "the first line of the message, from the first row (default: the counts of changes)"
  )
  static let author = Option.optional(
    "author", .text, "the author of commits (default: that of git's configuration)",
    example: "flow <flow@example.org>")
  static let push = Option("push", .boolean, default: "false", "whether to push after a commit")
  static let allowEmpty = Option(
    "allow_empty", .boolean, default: "false", "whether a poll without rows is committed")
  static let maxSize = Option("max_size", .size, default: "64MiB", "the size that the file must not exceed")
  static let timeout = Option("timeout", .duration, default: "2m", "the time limit of each git command")
  static let attempts = DeliveryOptions.attempts(default: 10)

  /// The name and the address of `NAME <ADDRESS>`.
  static func person(_ text: String) -> (name: String, mail: String)? {
    guard let start = text.firstIndex(of: "<"), text.hasSuffix(">") else { return nil }
    let name = text[..<start].split(separator: " ").joined(separator: " ")
    let mail = String(text[text.index(after: start)...].dropLast())
    return name.isEmpty || !mail.contains("@") ? nil : (name, mail)
  }
}

private final class GitSink: DeliverySink {
  private let context: SinkContext
  private let key: Evaluation
  private let message: Evaluation?
  private let allowsEmpty: Bool
  private let maxSize: Int
  private let form: GitVersion.Form
  private let transport: GitTransport
  let queue: DeliveryQueue
  /// The rows of the present poll.
  private var rows: [(key: Value, row: Value)] = []
  private var subject: String?
  private var size = 0
  private var source: String?
  private var hasFailed = false

  init(_ options: Options, _ context: SinkContext) throws {
    self.context = context
    key = context.evaluation(options[GitOptions.key])
    message = options[GitOptions.message].map { context.evaluation($0) }
    allowsEmpty = options[GitOptions.allowEmpty]
    maxSize = options[GitOptions.maxSize]
    form = GitVersion.Form(path: options[GitOptions.path])
    var transport = GitTransport(
      path: options[GitOptions.path], key: options[GitOptions.key],
      label: options[GitOptions.label]?.expression,
      timeout: options[GitOptions.timeout], context)
    transport.pushes = options[GitOptions.push]
    transport.author = options[GitOptions.author].flatMap { GitOptions.person($0) }
    if !context.isDryRun, let flaw = transport.missing() { throw Sentence(flaw) }
    self.transport = transport
    queue = DeliveryQueue(
      DeliverySettings(
        attempts: options[GitOptions.attempts], backoff: options[DeliveryOptions.backoff]), context, transport
    )
  }

  func take(_ event: Event) throws {
    do {
      try add(event)
    } catch {
      // A version that lacks a row would record its removal.
      hasFailed = true
      throw error
    }
  }

  private func add(_ event: Event) throws {
    if let source, source != event.poll.list {
      throw Sentence(
        "rows come from \(quoted(source)) and \(quoted(event.poll.list)); git takes one source without each")
    }
    source = event.poll.list
    let row = event.value.detach()
    if form == .csv, row.kind != .object {
      throw Sentence("a table has objects as its rows: \(row.description.prefix(60))")
    }
    size += row.json.count + 2
    guard size <= maxSize else { throw Sentence("the rows are larger than max_size") }
    let key = (try self.key.first(event) ?? .null).detach()
    rows.append((key, row))
    if subject == nil, let message { subject = printable(try event.text(message)) }
  }

  func endPoll(_ poll: Poll) throws {
    defer { (rows, subject, size, hasFailed) = ([], nil, 0, false) }
    if hasFailed { return context.log.warning("a row failed: this poll is not committed") }
    guard poll.isComplete, !poll.isStale else { return context.log.detail("a partial poll is not committed") }
    if rows.isEmpty, !allowsEmpty {
      return context.log.warning("a poll without rows is not committed; allow_empty: true commits it")
    }
    let version = GitVersion(rows, as: form)
    if let twin = version.twin {
      throw Sentence("two rows have the key \(twin); this poll is not committed")
    }
    let item = GitItem(content: version.text, subject: subject, at: poll.at)
    if context.isDryRun {
      queue.dryRun.add(line: "git commit \(transport.path): \(rows.count) rows")
      return
    }
    do { try queue.add(item) } catch is NotSent {}
  }
}
