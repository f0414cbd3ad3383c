import JSON
import Engine
import Language
import Store

/// `flow state dead ls`: lists dead letters.
enum StateDeadList {
  static let command = Command(
    reporting: Manual(
      "state dead ls", "list dead letters", operands: .one("PIPELINE", or: .running),
      options: [StateCommand.json, StateCommand.folder],
      about:
        "For each its number, sink or step, time, number of attempts, reason, id, and the "
        + "beginning of its content; the whole content with --json.",
      examples: [("flow state dead ls new-launches", "all dead letters")])
  ) { arguments in
    let files = try StateFiles(arguments)
    let name = try files.find(arguments.operands[0])
    let reader = try StateReader(path: files.path(of: name))
    let width = Terminal.columns(1) ?? 80
    let output = StateOutput()
    var letters: [DeadLetter] = []
    try forEach {
      try reader.deadLetters(after: $0)
    } do: { letter in
      if arguments.has(StateCommand.json) {
        output.put(letter.json)
      } else {
        letters.append(letter)
        letters[letters.count - 1].entry.bytes = Array(StateText.json(letter.entry.bytes).prefix(4 * width))
      }
    }
    if arguments.has(StateCommand.json) { return output.end() }
    if letters.isEmpty { Terminal.complain("\(quoted(name)) has no dead letters\n") }
    for line in lines(letters, width: width) { Terminal.say(line + "\n") }
    return ExitStatus.done
  }

  /// Visits all letters; `page` returns those after a number.
  static func forEach(
    _ page: (Int64) throws -> [DeadLetter], do body: (DeadLetter) -> Void
  ) throws {
    var last: Int64 = 0
    while true {
      let letters = try page(last)
      guard let letter = letters.last else { return }
      last = letter.number
      letters.forEach(body)
    }
  }

  /// Two lines per letter: its fate, and the beginning of its content as JSON.
  private static func lines(_ letters: [DeadLetter], width: Int) -> [String] {
    if letters.isEmpty { return [] }
    var table = TextTable(headers: ["number", "node", "given up", "attempts", "reason"])
    for letter in letters {
      table.add([
        "\(letter.number)", letter.entry.sink, StateText.time(letter.at), "\(letter.entry.attempts)",
        letter.reason,
      ])
    }
    let paint = Terminal.paint
    let rows = table.lines(width: width, paint: paint)
    var lines = Array(rows.prefix(1))
    for (row, letter) in zip(rows.dropFirst(), letters) {
      let excerpt = String(decoding: letter.entry.bytes, as: UTF8.self)
      let text = "        " + printable("\(letter.entry.id)  \(excerpt)")
      lines += [row, paint(text.clipped(to: width), .dim)]
    }
    return lines
  }
}

extension DeadLetter {
  fileprivate var json: Value {
    .record([
      ("number", Value.literal(String(number)) ?? .null), ("sink", .string(entry.sink)),
      ("at", .string(timestamp(at))), ("attempts", .number(entry.attempts)), ("reason", .string(reason)),
      ("id", .string(entry.id)), ("place", StateText.value(entry.place)),
      ("value", StateText.value(entry.bytes)),
    ])
  }
}
