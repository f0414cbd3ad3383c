import Engine
import JSON
import Language

/// The operands of `flow tap`: the nodes, by the process that runs them, and a filter behind them.
struct TapTargets {
  let processes: [(process: Int, nodes: [TapTarget])]
  /// The same, one by one, in the order of the operands and of the pipeline.
  let nodes: [TapTarget]
  let filter: Program?
  /// Whether events of more than one node may be shown.
  let areMany: Bool

  init(_ arguments: Arguments, in folder: String) throws {
    let statuses = StatusClient.processes(in: folder).answers
    try self.init(arguments.operands, statuses, in: folder) { operand in
      // A YAML file is as good as its name.
      (try? StateFiles(arguments).find(operand)) ?? operand
    }
  }

  /// `name` is the pipeline that an operand names.
  init(
    _ operands: [String], _ statuses: [RunStatus], in folder: String, name: (String) -> String
  ) throws {
    let running = statuses.map { status in
      (process: status.process, pipelines: status.pipelines.filter { !$0.phase.isOver })
    }
    let pipelines = running.flatMap(\.pipelines)
    let names = Set(pipelines.map(\.name)).sorted()
    /// A pipeline, or a pipeline and a node; nil where the pipeline does not run.
    func target(_ operand: String) -> TapTarget? {
      if names.contains(operand) { return TapTarget(pipeline: operand, node: nil) }
      for colon in operand.indices where operand[colon] == ":" {
        let pipeline = name(String(operand[..<colon]))
        if names.contains(pipeline) {
          return TapTarget(pipeline: pipeline, node: String(operand[operand.index(after: colon)...]))
        }
      }
      let pipeline = name(operand)
      return names.contains(pipeline) ? TapTarget(pipeline: pipeline, node: nil) : nil
    }
    var operands = operands
    var filter: Program?
    if operands.count > 1, let last = operands.last, target(last) == nil {
      do {
        filter = try Program(last, name: "the filter")
        operands.removeLast()
      } catch {
        if !TapTargets.isName(last) { throw WrongUse("the filter is not valid jq: \(error)") }
      }
    }
    var targets: [TapTarget] = []
    for operand in operands {
      guard let target = target(operand) else {
        let given = operand.split(separator: ":").first.map(String.init) ?? operand
        throw StateError.unknown(
          "no pipeline \(quoted(given)) runs with state in \(folder); "
            + StateFiles.hint(given, names, else: "none does"))
      }
      let nodes = pipelines.filter { $0.name == target.pipeline }.flatMap { $0.nodes.map(\.name) }
      if let node = target.node, !nodes.contains(node) {
        throw StateError.unknown(
          "\(target.pipeline) has no node \(quoted(node)); \(StateFiles.hint(node, nodes, else: "it has none"))"
        )
      }
      if !targets.contains(target) { targets.append(target) }
    }
    self.filter = filter
    var expanded: [TapTarget] = []
    for target in targets {
      let pipeline = pipelines.first { $0.name == target.pipeline }
      let names = target.node.map { [$0] } ?? pipeline?.nodes.map(\.name) ?? []
      expanded += names.map { TapTarget(pipeline: target.pipeline, node: $0) }.filter {
        !expanded.contains($0)
      }
    }
    nodes = expanded
    areMany = targets.count > 1 || targets.contains { $0.node == nil }
    processes = running.compactMap { process in
      let own = targets.filter { target in
        process.pipelines.contains { pipeline in
          pipeline.name == target.pipeline
            && (target.node == nil || pipeline.nodes.contains { $0.name == target.node })
        }
      }
      return own.isEmpty ? nil : (process.process, own)
    }
  }

  /// Whether it is meant as a name rather than a filter.
  private static func isName(_ text: String) -> Bool {
    text.first?.isLetter == true && text.allSatisfy { $0.isLetter || $0.isNumber || "-_.:/".contains($0) }
  }
}
