import Glibc
import JSON
import Engine
import Language
import Store

/// The state of pipelines in tables for people.
enum StateTable {
  /// One line per pipeline.
  static func lines(_ summaries: [StateSummary], width: Int) -> [String] {
    if summaries.isEmpty { return [] }
    var rows = summaries.map { summary in
      [
        summary.name, StateText.size(summary.size), "\(summary.nodes.count)", "\(summary.keys)",
        "\(summary.waiting)", "\(summary.dead)", StateText.age(EvalEnvironment.now - summary.changed),
      ]
    }
    let headers = ["pipeline", "size", "nodes", "keys", "waiting", "dead", "changed"]
    var table = TextTable(headers: headers)
    for row in rows { table.add(row) }
    // The end of a path is the most useful part, so it is cut here to the room that the others leave.
    let taken = table.lines(width: .max / 2).map(\.columns).max() ?? 0
    table = TextTable(headers: headers + ["file"])
    let room = max(12, width - taken - 2)
    for index in rows.indices {
      rows[index].append(StateText.end(of: summaries[index].pipeline ?? "", columns: room))
      table.add(rows[index])
    }
    return table.lines(width: width, paint: Terminal.paint)
  }

  /// One table for each role of a pipeline's nodes.
  static func details(_ summaries: [StateSummary], width: Int) -> [String] {
    var lines: [String] = []
    for summary in summaries {
      if !lines.isEmpty { lines.append("") }
      lines += details(summary, width: width)
    }
    return lines
  }

  private static func details(_ summary: StateSummary, width: Int) -> [String] {
    let paint = Terminal.paint
    let name = printable(summary.name)
    let file = summary.pipeline.map {
      "  " + StateText.end(of: $0, columns: max(12, width - name.columns - 2))
    }
    var lines = [paint(name, .bold) + (file ?? "")]
    lines.append(StateText.end(of: summary.path, columns: width))
    lines.append(
      "\(StateText.size(summary.size)), epoch \(summary.epoch), changed \(StateText.time(summary.changed))")
    for table in [steps(summary), sources(summary), sinks(summary, width), facts(summary)]
    where !table.isEmpty {
      lines += [""] + table.lines(width: width, paint: paint)
    }
    return lines
  }

  private static func steps(_ summary: StateSummary) -> TextTable {
    var table = TextTable(headers: ["step", "keys", "keyed by"])
    for step in summary.nodes.flatMap(\.tables) { table.add([step.node, "\(step.count)", step.description]) }
    return table
  }

  private static func sources(_ summary: StateSummary) -> TextTable {
    var table = TextTable(headers: ["source", "position"])
    for node in summary.nodes {
      if let position = node.position { table.add([node.name, StateText.shown(position)]) }
    }
    return table
  }

  /// One row per sink, and another for each further file.
  private static func sinks(_ summary: StateSummary, _ width: Int) -> TextTable {
    var table = TextTable(headers: ["sink", "waiting", "dead", "written", "file", "offset"])
    for node in summary.nodes where node.sink != nil || !node.files.isEmpty {
      let written = node.sink?.written.map { "\($0.epoch).\($0.index)" } ?? ""
      var cells = [node.name, "\(node.waiting)", "\(node.dead)", written]
      for (path, mark) in node.files {
        let offset = StateText.value(mark).member("offset")?.description ?? StateText.shown(mark)
        table.add(cells + [StateText.end(of: path, columns: max(12, width - 45)), offset])
        cells = ["", "", "", ""]
      }
      if node.files.isEmpty { table.add(cells) }
    }
    return table
  }

  private static func facts(_ summary: StateSummary) -> TextTable {
    var table = TextTable(headers: ["node", "fact", "value"])
    for fact in summary.nodes.flatMap(\.otherFacts) {
      table.add([fact.owner, fact.name, StateText.shown(fact.value)])
    }
    return table
  }
}
