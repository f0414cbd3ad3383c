import Nodes
import Engine
import Language

/// `flow new`: writes a new pipeline file.
enum NewCommand {
  static let sources = list("sources", Catalog.all.sources, "its sources")
  static let steps = list("steps", Catalog.all.steps, "its steps, in this order")
  static let sinks = list("sinks", Catalog.all.sinks, "its sinks")
  static let from = CommandOption(
    "from", .value("URL|NAME"), "write a pipeline for the list at this address, or copy an installed one",
    or: .installed)
  static let output = CommandOption(
    "output", short: "o", .path("FILE"), "write to this file instead of standard output")
  static let force = CommandOption("force", .flag, "overwrite an existing file")

  static let manual = Manual(
    "new", "write a new pipeline file", operands: .optional("NAME", of: []),
    options: [from, sources, steps, sinks, output, force],
    about: """
      Every option is explained beside it; optional ones are commented out. The file passes flow check as it is. flow \
      nodes lists all sources, steps and sinks.

      With --from URL the file has what one response shows: where the rows are, what identifies one, the next page, \
      members that change without news. With --from NAME it is a copy of an installed pipeline: the definitions, scripts \
      and recordings that the pipeline refers to are copied next to FILE. The copy has the name of its file, and a state \
      of its own.
      """,
    examples: [
      ("flow new launches -o launches.yaml", "a file with the usual nodes"),
      ("flow new --from https://example.org/stations.json -o stations.yaml", "for an API"),
      ("flow new --from new-launches -o launches.yaml", "a copy of an installed pipeline"),
      ("flow new --sources stdin --steps filter,map --sinks jsonl", "chosen nodes"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let path = arguments.text(output)
    if let from = arguments.text(from) {
      if let option = [sources, steps, sinks].first(where: arguments.has) {
        throw WrongUse("--from cannot be combined with --\(option.name)")
      }
      guard NewFromAddress.isAddress(from) else {
        return try PipelineCopy(of: from).write(
          to: path, named: arguments.operands.first, isForced: arguments.has(force))
      }
      let name = arguments.operands.first ?? path.map(name(of:)) ?? NewFromAddress.name(of: from)
      do {
        let text = try NewFromAddress.pipeline(named: name, from: from)
        if let path { return write(text, path, isForced: arguments.has(force)) }
        Terminal.say(text)
        return ExitStatus.done
      } catch {
        Terminal.complain("flow new: \(printable("\(error)"))\n")
        return ExitStatus.failed
      }
    }
    let name = arguments.operands.first ?? path.map(name(of:)) ?? "my-pipeline"
    let skeleton = Skeleton(
      name: name,
      sources: try chosen(
        sources, arguments, Catalog.all.sources, else: ["http", "file", "stdin"], count: 1),
      steps: try chosen(steps, arguments, Catalog.all.steps, else: ["changes"], count: 1),
      sinks: try chosen(sinks, arguments, Catalog.all.sinks, else: ["console", "jsonl"], count: 2))
    if let problem = problem(of: skeleton.text) {
      throw WrongUse(
        "these nodes cannot be combined: \(problem.message)\(problem.hint.map { "; \($0)" } ?? "")")
    }
    guard let path else {
      Terminal.say(skeleton.text)
      return ExitStatus.done
    }
    return write(skeleton.text, path, isForced: arguments.has(force))
  }

  /// Each node by itself is valid, but some cannot be combined in one pipeline.
  private static func problem(of text: String) -> Problem? {
    var reader = PipelineReader(catalog: .all)
    reader.read(path: "new.yaml", Array(text.utf8))
    return reader.problems.sorted.first
  }

  private static func list(_ name: String, _ specs: [NodeSpec], _ summary: String) -> CommandOption {
    CommandOption(name, .list("KIND,…", of: specs.map(\.kind)), summary)
  }

  /// The given nodes or, if there are none, the first `count` of the usual ones.
  private static func chosen(
    _ option: CommandOption, _ arguments: Arguments, _ specs: [NodeSpec], else usual: [String], count: Int
  ) throws(WrongUse) -> [NodeSpec] {
    let given = arguments.texts(option).flatMap { $0.split(separator: ",").map(String.init) }
    if given.isEmpty, !arguments.has(option) {
      let found = usual.compactMap { kind in specs.first { $0.kind == kind } }
      return Array((found.isEmpty ? specs : found).prefix(count))
    }
    var found: [NodeSpec] = []
    for kind in given {
      guard let spec = specs.first(where: { $0.kind == kind }) else {
        throw WrongUse("--\(option.name): \(complaint(kind, specs, option.name))")
      }
      found.append(spec)
    }
    if found.isEmpty, option.name != steps.name { throw WrongUse("--\(option.name) needs at least one name") }
    return found
  }

  private static func complaint(_ kind: String, _ specs: [NodeSpec], _ role: String) -> String {
    if let other = Catalog.all.named(kind).first { return "\(quoted(kind)) is a \(other.roleName)" }
    let near = nearest(to: kind, among: specs.map(\.kind)).map { "did you mean \(quoted($0))?" }
    return "unknown \(role.dropLast()) \(quoted(kind)); \(near ?? "flow nodes lists them")"
  }

  /// The name for `pipelines/launches.yaml` is launches.
  static func name(of path: String) -> String {
    let file = path.split(separator: "/").last ?? "my-pipeline"
    return String(file.split(separator: ".").first ?? file)
  }

  static func write(_ text: String, _ path: String, isForced: Bool) -> Int32 {
    if let problem = NewFile.write(Array(text.utf8), to: path, isForced: isForced) {
      Terminal.complain("flow new: \(problem)\n")
      return ExitStatus.usage
    }
    Terminal.complain("wrote \(path); check it with flow check \(path)\n")
    return ExitStatus.done
  }
}
