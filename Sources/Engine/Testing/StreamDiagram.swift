import JSON
import Language
import Reactive
import System

/// A diagram of what came out of each source and step: a row for each stream, a column for each time, a letter for each event.
///
///                0s   6h   6h2m
///     upcoming   a|   b|
///     1-changes  |    c|
///     2-debounce |    |    c
///
/// `|` is the end of a poll; a legend below explains the letters.
struct StreamDiagram {
  /// The limit beyond which a diagram is not readable.
  private static let columns = 10

  let lines: [String]

  init(_ plan: Plan, _ outcome: ScriptedRun.Outcome) {
    let names =
      plan.sources.map(\.name) + plan.streams.flatMap { $0.steps.map(\.name) } + plan.sinks.map(\.name)
    let streams = outcome.streams.merging(outcome.heard) { stream, _ in stream }
    let times = Set(streams.values.joined().map(\.at)).sorted()
    let shown = Array(times.prefix(Self.columns))
    var letters = MarbleLetters<Value>()
    var table = TextTable(headers: [""] + shown.map(DurationText.format))
    for name in names {
      let heard = streams[name] ?? []
      let cells = shown.map { time in
        String(heard.filter { $0.at == time }.map { $0.value.map { letters.letter(for: $0) } ?? "|" })
      }
      table.add([name] + cells)
    }
    var lines = table.lines(width: 100)
    if times.count > shown.count { lines.append("… and \(times.count - shown.count) times more") }
    self.lines = lines + letters.meanings.map { "\($0.letter): \(excerpt(of: $0.element))" }
  }
}
