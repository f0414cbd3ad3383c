import Glibc
import JSON
import Engine
import Language
import Store

/// `flow state ls`: lists pipelines with state, or their nodes.
enum StateListCommand {
  static let manual = Manual(
    "state ls", "list pipelines with state, or their nodes", operands: .any("PIPELINE", or: .running),
    options: [StateCommand.json, StateCommand.folder],
    about: """
      Without PIPELINE, it lists all pipelines with state: the number of keys, pending outputs and dead letters. With \
      PIPELINE, it lists these for each of its steps, sources and sinks.
      """,
    examples: [("flow state ls", "all pipelines"), ("flow state ls new-launches", "the nodes of one")])

  static let command = Command(reporting: manual) { arguments in
    let files = try StateFiles(arguments)
    let isWhole = arguments.operands.isEmpty
    let names = isWhole ? files.names : try arguments.operands.map(files.find)
    var summaries: [StateSummary] = []
    var status = ExitStatus.done
    for name in names {
      do {
        summaries.append(try StateSummary(name, StateReader(path: files.path(of: name))))
      } catch {
        // A file that cannot be read must not hide the others.
        Terminal.complain("flow \(manual.name): \(printable("\(error)"))\n")
        status = ExitStatus.failed
      }
    }
    if arguments.has(StateCommand.json) {
      let output = StateOutput()
      for summary in summaries {
        for record in isWhole ? [summary.json] : summary.nodes.map({ $0.json(of: summary.name) }) {
          output.put(record)
        }
      }
      return max(status, output.end())
    }
    if names.isEmpty { Terminal.complain("no pipeline has state in \(printable(files.folder))\n") }
    let width = Terminal.columns(1) ?? 80
    let lines =
      isWhole ? StateTable.lines(summaries, width: width) : StateTable.details(summaries, width: width)
    for line in lines { Terminal.say(line + "\n") }
    return status
  }
}

extension StateSummary {
  /// The summary without the nodes, for other programs.
  fileprivate var json: Value {
    .record([
      ("name", .string(name)), ("path", .string(path)), ("pipeline", pipeline.map { .string($0) } ?? .null),
      ("size", .number(size)), ("epoch", .number(Int(epoch))), ("nodes", .number(nodes.count)),
      ("keys", .number(keys)), ("waiting", .number(waiting)), ("dead", .number(dead)),
      ("changed", .string(timestamp(changed))),
    ])
  }
}

extension StateNode {
  fileprivate func json(of pipeline: String) -> Value {
    var members: [(String, Value)] = [("pipeline", .string(pipeline)), ("node", .string(name))]
    if !tables.isEmpty {
      members.append(
        (
          "tables",
          .array(
            tables.map {
              .record([
                ("name", .string($0.node)), ("keyed_by", .string($0.description)),
                ("keys", .number($0.count)),
              ])
            })
        ))
    }
    if !facts.isEmpty {
      members.append(("facts", .record(facts.map { ($0.name, StateText.value($0.value)) })))
    }
    if let sink {
      members += [
        ("written", sink.written.map(StateText.value) ?? .null), ("waiting", .number(sink.waiting)),
        ("dead", .number(sink.dead)),
      ]
    }
    return .record(members)
  }
}
