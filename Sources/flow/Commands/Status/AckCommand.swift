import Engine
import JSON
import Language

/// `flow ack`: ends the repetition of notifications with `until: acknowledged`.
enum AckCommand {
  static let all = CommandOption("all", .flag, "acknowledge everything that is repeated")

  static let manual = Manual(
    "ack", "list what is repeated, or acknowledge it", operands: .any("KEY"),
    options: [all, StateCommand.folder],
    about: """
      Notifications with `until: acknowledged` are sent again and again until their key is acknowledged here. Without a \
      key, it lists what running pipelines repeat: the key, the pipeline and sink, since when, and how often it was sent.

      An acknowledgement is committed before the command ends, so that it also holds after a crash. It exits with 1 if a \
      key is not repeated by any running pipeline: what a stopped pipeline repeats can be acknowledged when it runs again.
      """,
    examples: [
      ("flow ack", "what is repeated"), ("flow ack sda1", "end the notifications with this key"),
      ("flow ack --all", "end all of them"),
    ])

  static let command = Command(reporting: manual) { arguments in
    let folder = try StateFiles(arguments).folder
    if arguments.has(all), !arguments.operands.isEmpty {
      throw WrongUse("--all acknowledges every key, so it takes none")
    }
    let (lists, silent) = StatusClient.answers(
      to: .record([("get", .string("unacknowledged"))]), in: folder, as: entries)
    for process in silent { Terminal.complain("flow: process \(process) does not respond\n") }
    let waiting = lists.flatMap { $0 }
    var hasFailed = !silent.isEmpty
    if !arguments.has(all), arguments.operands.isEmpty {
      list(waiting, areNone: lists.isEmpty && silent.isEmpty, folder)
      return hasFailed ? ExitStatus.failed : ExitStatus.done
    }
    let keys = arguments.has(all) ? waiting.map(\.key) : arguments.operands
    let known = Set(waiting.map(\.key))
    for key in keys where !known.contains(key) {
      let hint = nearest(to: key, among: Array(known)).map { "; did you mean \(quoted($0))?" } ?? ""
      Terminal.complain("flow: nothing with the key \(quoted(key)) is repeated\(hint)\n")
      hasFailed = true
    }
    let wanted = keys.filter(known.contains)
    if wanted.isEmpty {
      if arguments.has(all) { Terminal.complain("nothing waits to be acknowledged\n") }
      return hasFailed ? ExitStatus.failed : ExitStatus.done
    }
    let (answers, failed) = StatusClient.answers(
      to: .record([("acknowledge", .array(wanted.map { .string($0) }))]), in: folder, as: entries)
    let ended = answers.flatMap { $0 }
    for entry in ended {
      Terminal.say("acknowledged \(printable(entry.key)) (\(entry.pipeline)/\(entry.sink))\n")
    }
    for key in Set(wanted).subtracting(ended.map(\.key)).sorted() where failed.isEmpty {
      Terminal.complain("flow: \(quoted(key)) could not be acknowledged; see flow status\n")
      hasFailed = true
    }
    for process in failed {
      Terminal.complain("flow: process \(process) could not commit the acknowledgement; see flow status\n")
    }
    return hasFailed || !failed.isEmpty ? ExitStatus.failed : ExitStatus.done
  }

  private static func list(_ waiting: [Unacknowledged], areNone: Bool, _ folder: String) {
    if waiting.isEmpty {
      return Terminal.complain(
        areNone
          ? "no pipeline runs with state in \(printable(folder))\n" : "nothing waits to be acknowledged\n")
    }
    for entry in waiting.sorted(by: { $0.since < $1.since }) {
      let times = entry.count == 1 ? "sent once" : "sent \(entry.count) times"
      let title = entry.title == entry.key ? "" : "  \(printable(entry.title))"
      Terminal.say(
        "\(printable(entry.key))  \(entry.pipeline)/\(entry.sink)  since \(StateText.time(entry.since)), \(times)\(title)\n"
      )
    }
  }

  // MARK: - The form that the socket has

  /// Nil, where something could not be committed, is null.
  static func json(_ entries: [Unacknowledged]?) -> Value {
    guard let entries else { return .record([("error", .string("not committed"))]) }
    return .record([
      (
        "entries",
        .array(
          entries.map { entry in
            .record([
              ("pipeline", .string(entry.pipeline)), ("sink", .string(entry.sink)),
              ("key", .string(entry.key)),
              ("title", .string(entry.title)), ("since", .number(entry.since)),
              ("count", .number(entry.count)),
            ])
          })
      )
    ])
  }

  private static func entries(_ answer: Value) -> [Unacknowledged]? {
    answer.member("entries")?.items?.compactMap { item in
      guard let key = item.member("key")?.string, let since = item.member("since")?.double else { return nil }
      var entry = Unacknowledged(
        key: key, title: item.member("title")?.string ?? "", since: since,
        count: Int(member: item.member("count")) ?? 1)
      entry.pipeline = item.member("pipeline")?.string ?? ""
      entry.sink = item.member("sink")?.string ?? ""
      return entry
    }
  }
}
