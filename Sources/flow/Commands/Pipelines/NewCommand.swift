import AllNodes
import Engine
import Language

/// `flow new`: writes a new pipeline file.
enum NewCommand {
  static let sources = list("sources", Catalog.all.sources, "its sources")
  static let steps = list("steps", Catalog.all.steps, "its steps, in this order")
  static let sinks = list("sinks", Catalog.all.sinks, "its sinks")
  static let from = CommandOption(
    "from", .value("URL|FILE|NAME"),
    "write a pipeline for what is at this address or in this file, or copy an installed one", or: .installed)
  static let fromCurl = CommandOption(
    "from-curl", .value("COMMAND"), "the same, for the request of this command line of curl")
  static let pick = CommandOption(
    "pick", .value("URL"), "point at the entries of this page, and at their parts, in its picture")
  static let bearer = CommandOption(
    "bearer", .value("VARIABLE"), "the variable of the environment that has a token for --from")
  static let header = CommandOption("header", .value("HEADER"), "a header for --from; may be repeated")
  static let profile = CommandOption(
    "profile", .path("DIR"), "the folder that keeps logins, for the browser of --pick and --from")
  static let once = CommandOption("once", .flag, "request --from once, not twice")
  static let output = CommandOption(
    "output", short: "o", .path("FILE"), "write to this file instead of standard output")
  static let force = CommandOption("force", .flag, "overwrite an existing file")

  static let manual = Manual(
    "new", "write a new pipeline file", operands: .optional("NAME", offering: []),
    options: [from, fromCurl, pick, profile, bearer, header, once, sources, steps, sinks, output, force],
    about: """
      The file is short and runs as it is. flow nodes lists all sources, steps and sinks, flow docs KIND their options.

      With --from URL it is for what that address answers: JSON, CSV and other tables, feeds, XML, the table or the \
      text of a page, or a stream of server-sent events. The address is requested twice, with three seconds between; where pages are \
      found by a query item, so is the second page. What is found is shown: the rows, \
      what identifies one, the next page, what always changes. A token or password that --header, --from-curl or the \
      address contains is not written into the file, which has a variable of the environment in its place.

      A page that is empty but for its scripts is opened in Chromium, where that is installed: the JSON that it \
      requests and what is repeated in it are listed, and the best of them is taken.

      With --pick URL Chromium opens the page, and flow prints an address on this machine with its picture. Point at an entry of the list, then at its \
      parts: the rows as they would be read and the pipeline stand beside it, and a button writes that to FILE, or to standard output. \
      No script of the page runs there. Of a page behind a login, let a pipeline with the actions of the login and \
      `profile: DIR` run once; --profile DIR then opens the page as it left it.

      With --from sqlite:FILE or postgres://USER@HOST/DATABASE it is for a table of that database: the one that is \
      named NAME, or the first; at the end of the address of a server, ?table=NAME is one too. A password in that \
      address is not written into the file: libpq takes it from PGPASSWORD or ~/.pgpass.

      With --from NAME it is a copy of an installed pipeline: the definitions, scripts and recordings that the pipeline \
      refers to are copied next to FILE. The copy has the name of its file, and a state of its own.
      """,
    examples: [
      ("flow new --from https://example.org/stations.json -o stations.yaml", "for an address"),
      ("flow new --from https://example.org/items --bearer TOKEN -o items.yaml", "with the token in $TOKEN"),
      ("flow new --from-curl \"curl 'https://example.org/items' -H 'X-Key: 1'\"", "as a browser copies it"),
      ("flow new --pick https://example.org/shop -o shop.yaml", "by pointing at a page"),
      ("flow new --from prices.csv -o prices.yaml", "for a file"),
      ("flow new items --from sqlite:shop.db -o items.yaml", "for a table"),
      ("flow new --from new-launches -o launches.yaml", "a copy of an installed pipeline"),
      ("flow new launches --sources stdin --steps filter,map --sinks jsonl", "of chosen nodes"),
    ])

  static let command = Command(manual) { arguments throws(WrongUse) in
    let path = arguments.text(output)
    if let address = arguments.text(pick) { return try picked(address, arguments, path) }
    if let text = try written(arguments, path) {
      guard case .success(let text) = text else { return ExitStatus.failed }
      defer { if path == nil { Terminal.complain("next: -o FILE to keep it, then flow run FILE\n") } }
      return deliver(text, path, isForced: arguments.has(force))
    }
    if let from = arguments.text(from) {
      if from.contains("."), !from.hasPrefix("."), !from.hasPrefix("/"), !InstalledPipelines.isFile(from) {
        throw WrongUse("there is no file \(from); an address begins with https://")
      }
      return try PipelineCopy(of: from).write(
        to: path, named: arguments.operands.first, isForced: arguments.has(force))
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
    return deliver(skeleton.text, path, isForced: arguments.has(force))
  }

  private static func picked(_ address: String, _ arguments: Arguments, _ path: String?) throws(WrongUse)
    -> Int32
  {
    if let option = [from, fromCurl, bearer, header, once, sources, steps, sinks].first(where: arguments.has)
    {
      throw WrongUse("--pick cannot be combined with --\(option.name)")
    }
    guard NewFromAddress.isAddress(address) else {
      throw WrongUse("--pick takes the address of a page, which begins with https://, not \(quoted(address))")
    }
    let name = arguments.operands.first ?? path.map(name(of:)) ?? NewFromAddress.name(of: address)
    var new = try NewRequest(address, for: name)
    new.profile = arguments.text(profile)
    return NewByPicking(new: new, name: name, path: path, isForced: arguments.has(force)).run()
  }

  private static func deliver(_ text: String, _ path: String?, isForced: Bool) -> Int32 {
    let text = (InstalledPipelines.schema.map { "# yaml-language-server: $schema=\($0)\n" } ?? "") + text
    guard let path else {
      Terminal.say(text)
      return ExitStatus.done
    }
    return write(text, path, isForced: isForced)
  }

  /// The text of a pipeline for an address or a file; nil where none is named, and a failure that has been reported.
  private static func written(_ arguments: Arguments, _ path: String?) throws(WrongUse) -> Result<
    String, Reported
  >? {
    let curl = try arguments.text(fromCurl).map { text throws(WrongUse) in try CurlCommand(text) }
    let given = arguments.text(from)
    if curl != nil, given != nil { throw WrongUse("--from-curl has the address itself: leave --from out") }
    guard let from = curl?.address ?? given else {
      if let option = [bearer, header, once, profile].first(where: arguments.has) {
        throw WrongUse(
          "--\(option.name) belongs to --from URL\(option.name == profile.name ? " or --pick URL" : "")")
      }
      return nil
    }
    if let option = [sources, steps, sinks].first(where: arguments.has) {
      throw WrongUse("--from cannot be combined with --\(option.name)")
    }
    let isAddress = NewFromAddress.isAddress(from)
    if !isAddress, let option = [bearer, header, once, profile].first(where: arguments.has) {
      throw WrongUse("--\(option.name) is for addresses, and \(quoted(from)) is none")
    }
    let isDatabase = NewFromAddress.isDatabase(from)
    if !isAddress, !isDatabase, !NewFromAddress.isData(from) { return nil }
    let name = arguments.operands.first ?? path.map(name(of:)) ?? NewFromAddress.name(of: from)
    let new = NewFromAddress(name: name) { Terminal.complain("\($0)\n") }
    let request = isAddress ? try request(from, curl, arguments, named: name) : nil
    do {
      if isDatabase { return .success(try new.pipeline(forDatabase: from)) }
      guard let request else { return .success(try new.pipeline(forFile: from)) }
      return .success(try new.pipeline(for: request, isOnce: arguments.has(once)))
    } catch {
      Terminal.complain("flow new: \(error)\n")
      return .failure(Reported())
    }
  }

  private struct Reported: Error {}

  /// The request that the options describe.
  private static func request(
    _ address: String, _ curl: CurlCommand?, _ arguments: Arguments, named name: String
  ) throws(WrongUse) -> NewRequest {
    var request = try NewRequest(address, for: name)
    request.profile = arguments.text(profile)
    if let curl { try request.take(curl) }
    if let variable = arguments.text(bearer) { try request.setBearer(variable: variable) }
    for text in arguments.texts(header) {
      guard let header = NewRequest.header(text) else {
        throw WrongUse("--header takes a name and a value, as in --header 'Accept-Language: en'")
      }
      try request.add(header)
    }
    return request
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
    let more = text.has("changes:") ? ", and flow docs changes for what a change is" : ""
    Terminal.complain("wrote \(path); next: flow run \(path)\(more)\n")
    return ExitStatus.done
  }
}
