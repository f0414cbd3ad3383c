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
      key is not repeated by any running pipeline, or a pipeline does not answer in time: what a stopped pipeline repeats can be acknowledged when it runs again.
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
    let (waiting, hasProcesses, areAll) = ask(.record([("get", .string("unacknowledged"))]), in: folder)
    var hasFailed = !areAll
    if !arguments.has(all), arguments.operands.isEmpty {
      if areAll || !waiting.isEmpty { list(waiting, areNone: !hasProcesses, folder) }
      return hasFailed ? ExitStatus.failed : ExitStatus.done
    }
    let keys = arguments.has(all) ? waiting.map(\.key) : arguments.operands
    let known = Set(waiting.map(\.key))
    for key in keys where !known.contains(key) {
      // It may be one of those that are not known.
      if !areAll { continue }
      let hint = nearest(to: key, among: Array(known)).map { "; did you mean \(quoted($0))?" } ?? ""
      Terminal.complain("flow: nothing with the key \(quoted(key)) is repeated\(hint)\n")
      hasFailed = true
    }
    let wanted = keys.filter(known.contains)
    if wanted.isEmpty {
      if arguments.has(all), areAll { Terminal.complain("nothing waits to be acknowledged\n") }
      return hasFailed ? ExitStatus.failed : ExitStatus.done
    }
    let (ended, _, areDone) = ask(
      .record([("acknowledge", .array(wanted.map { .string($0) }))]), in: folder)
    for entry in ended {
      Terminal.say("acknowledged \(printable(entry.key)) (\(entry.pipeline)/\(entry.sink))\n")
    }
    for key in Set(wanted).subtracting(ended.map(\.key)).sorted() where areDone {
      Terminal.complain("flow: \(quoted(key)) could not be acknowledged; see flow status\n")
      hasFailed = true
    }
    if !areDone { Terminal.complain("flow ack lists what is still repeated\n") }
    return hasFailed || !areDone ? ExitStatus.failed : ExitStatus.done
  }

  /// Asks all processes; reports those that have not answered all, of which there are none where `areAll`.
  private static func ask(
    _ request: Value, in folder: String
  ) -> (entries: [Unacknowledged], hasProcesses: Bool, areAll: Bool) {
    let (answers, silent) = StatusClient.answers(to: request, in: folder) { $0 }
    var (all, areAll): ([Unacknowledged], Bool) = ([], silent.isEmpty)
    for process in silent { Terminal.complain("flow: process \(process) does not respond\n") }
    for answer in answers {
      if let entries = entries(answer) {
        all += entries
      } else {
        areAll = false
        let reason = answer.member("error")?.string ?? "the process gave an answer that is none"
        Terminal.complain("flow: \(printable(reason))\n")
      }
    }
    return (all, !answers.isEmpty || !silent.isEmpty, areAll)
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

  /// An error is a sentence.
  static func json(_ gathered: RunRoster.Gathered) -> Value {
    let entries: [Unacknowledged]
    switch gathered {
    case .all(let found): entries = found
    case .late(let pipelines):
      let names = pipelines.joined(separator: ", ")
      let error =
        "\(names) did not answer in time; it is busy, and may do what was asked later; flow status shows more"
      return .record([("error", .string(error))])
    case .uncommitted:
      return .record([("error", .string("the acknowledgement could not be committed; see flow status"))])
    }
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
