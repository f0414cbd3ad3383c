import Language
import System
import JSON

/// A diagram of what came out of each source and step: a row for each stream, a column for each time, a letter for each event.
///
///                0s   6h   6h2m
///     upcoming   a|   b|
///     1-changes  |    c|
///     2-debounce |    |    c
///
/// `|` is the end of a poll; a legend below explains the letters.
struct StreamDiagram {
  /// The limits beyond which a diagram is not readable.
  private static let columns = 10
  private static let letters = Array("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")

  let lines: [String]

  init(_ plan: Plan, _ outcome: ScriptedRun.Outcome) {
    let names =
      plan.sources.map(\.name) + plan.streams.flatMap { $0.steps.map(\.name) } + plan.sinks.map(\.name)
    let streams = outcome.streams.merging(outcome.heard) { stream, _ in stream }
    let times = Set(streams.values.joined().map(\.at)).sorted()
    let shown = Array(times.prefix(Self.columns))
    var legend = Legend()
    var table = TextTable(headers: [""] + shown.map(DurationText.format))
    for name in names {
      let heard = streams[name] ?? []
      let cells = shown.map { time in
        heard.filter { $0.at == time }.map { legend.symbol(of: $0) }.joined()
      }
      table.add([name] + cells)
    }
    var lines = table.lines(width: 100)
    if times.count > shown.count { lines.append("… and \(times.count - shown.count) times more") }
    self.lines = lines + legend.lines
  }

  private struct Legend {
    private var known: [Value: String] = [:]
    private(set) var lines: [String] = []

    mutating func symbol(of heard: ScriptedRun.Heard) -> String {
      guard let value = heard.value else { return "|" }
      if let known = known[value] { return known }
      guard known.count < StreamDiagram.letters.count else { return "?" }
      let symbol = String(StreamDiagram.letters[known.count])
      known[value] = symbol
      lines.append("\(symbol): \(excerpt(of: value))")
      return symbol
    }
  }
}
