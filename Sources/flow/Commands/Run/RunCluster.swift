import Connectors
import Cluster
import Engine
import Language
import NATS
import Store
import System

/// `flow run --cluster`: the pipelines that several machines run, each assignment of them one at a time.
struct RunCluster {
  static let servers = CommandOption(
    "cluster", .value("URL,…"),
    "run each pipeline on one of several machines, see below")

  static let about = """
    With --cluster, the same command on several machines runs each pipeline on one of them. Every epoch is stored on the \
    NATS servers (2.14 or newer, with sync_interval: always) before it is committed, so that another machine continues \
    when one dies: within about six seconds, with nothing lost and nothing committed twice. Files belong to one machine: a \
    pipeline with files names it, as in at: archive-1, and runs there only. A pipeline that reads standard input, prints, \
    or has no state is refused. Below a partition each task is one by itself, on whichever machine, if the pipeline is one \
    chain that ends in nats, http, exec or null. Request budgets are shared by all machines. With three or more URLs the \
    streams have three replicas, otherwise one.
    """

  /// The options that make no sense on several machines.
  private static let excluded = [
    RunOption.once, RunOption.dryRun, RunOption.watch, RunOption.time, RunRecording.record,
    RunRecording.replay, RunSky.sky, RunState.none, RunOutputs.folder, RunPage.page,
  ]
  /// The sources that read what one machine has.
  private static let sources = ["file", "replay", "listen"]
  /// The sinks that write nothing that one machine keeps.
  private static let sinks = ["nats", "http", "exec", "notify", "null"]

  let urls: [String]
  /// The request budgets, which all machines share.
  let sites = JournalSites()

  /// Nil without the option.
  init?(_ arguments: Arguments) throws(WrongUse) {
    guard let text = arguments.text(Self.servers) else { return nil }
    urls = try Self.urls(text)
    for option in Self.excluded where arguments.has(option) || arguments.text(option) != nil {
      throw WrongUse("--cluster and --\(option.name) exclude each other")
    }
    if let flaw = StateFile.logFlaw { throw WrongUse(flaw) }
  }

  /// The addresses of servers, separated by commas.
  static func urls(_ text: String) throws(WrongUse) -> [String] {
    let urls = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    for url in urls {
      if let flaw = NATSAddress.flaw(in: url) {
        throw WrongUse("\(quoted(NATSAddress.shown(url))) is not the address of a server: \(flaw)")
      }
    }
    return urls
  }

  static func replicas(_ urls: [String]) -> Int { urls.count >= 3 ? 3 : 1 }

  /// Why a pipeline cannot run in a cluster; nil where it can.
  func flaw(of plan: Plan) -> String? {
    let name = quoted(plan.name)
    if let sink = plan.sinks.first(where: { $0.spec.kind == "console" }) {
      return "\(name) cannot run in a cluster: what its sink \(sink.name) (console) prints is seen by no one"
    }
    if let source = plan.sources.first(where: { $0.spec.kind == "stdin" }) {
      return "\(name) cannot run in a cluster: its source \(source.name) (stdin) ends with one run"
    }
    if plan.machine == nil, let node = Self.boundNode(of: plan) {
      return
        "\(name) cannot run in a cluster: its \(node) belongs to one machine; name that in the pipeline, as in "
        + "at: \(hostName())"
    }
    return plan.hasState
      ? nil : "\(name) cannot run in a cluster: it has no state that another machine could continue"
  }

  /// A node whose files or sockets exist on one machine only; nil for none.
  private static func boundNode(of plan: Plan) -> String? {
    if let source = plan.sources.first(where: { sources.contains($0.spec.kind) }) {
      return "source \(source.name) (\(source.spec.kind))"
    }
    if let sink = plan.sinks.first(where: { !sinks.contains($0.spec.kind) }) {
      return "sink \(sink.name) (\(sink.spec.kind))"
    }
    let policies = plan.streams.flatMap { $0.steps.map(\.onError) } + plan.sinks.map(\.onError)
    let hasLetters = policies.contains { if case .deadLetter = $0 { true } else { false } }
    return hasLetters ? "file of dead letters" : nil
  }

  /// The sinks that do the same in several tasks as in one: none counts its messages, say.
  private static let divisible = ["nats", "http", "exec", "null"]

  /// The assignments of pipelines: each is one, or, where a partition can be cut, one above it and several below.
  func jobs(of plans: [Plan]) -> [ClusterJob] {
    plans.flatMap { plan -> [ClusterJob] in
      let packs = PackStream(
        stream: JetStreamJournal.packs, subject: JetStreamJournal.packs(of: plan.name), servers: urls)
      guard plan.machine == nil, plan.sinks.allSatisfy({ Self.divisible.contains($0.spec.kind) }),
        let cut = plan.splitAtPartition(
          sink: { packs.sink(by: $0, into: $1) }, source: { packs.source(of: $0) })
      else { return [ClusterJob(plan)] }
      guard let above = cut.above else {
        return cut.below.enumerated().map { ClusterJob($1, isPart: $0, of: plan) }
      }
      let below = cut.below.enumerated().map { number, part in
        ClusterJob(part, (plan.name, number, part.sources.first?.name ?? ""))
      }
      return [ClusterJob(above: above)] + below
    }
  }

  /// The digest of the pipelines of a machine, without the version of flow.
  static func digest(of jobs: [ClusterJob]) -> String {
    let texts = jobs.map { text(of: $0.plan) }.sorted().joined(separator: "\n")
    return String(String(StableHash(texts.utf8).value, radix: 16).suffix(6))
  }

  /// The digest of a plan, the same on all machines.
  static func digest(of plan: Plan) -> String {
    String(StableHash("\(VersionCommand.inCluster) \(text(of: plan))".utf8).value, radix: 16)
  }

  private static func text(of plan: Plan) -> String {
    var text = "\(plan.name) \(plan.timeZone) \(plan.machine ?? "")\n"
    for source in plan.sources { text += "\(source.name) \(source.shown) \(source.shownSchedule)\n" }
    for stream in plan.streams {
      text += "\(stream.name) \(stream.from)\n"
      for step in stream.steps { text += "\(step.name) \(step.spec.kind) \(step.shown)\n" }
    }
    for sink in plan.sinks {
      text += "\(sink.name) \(sink.spec.kind) \(sink.shown) \(sink.from) \(sink.when?.text ?? "")\n"
    }
    return text
  }
}

/// An assignment and its plan.
struct ClusterJob: Sendable {
  let assignment: Assignment
  let plan: Plan
  /// Where it is below a partition: of which pipeline, its number, and the source that reads what comes from above.
  var share: (pipeline: String, number: Int, source: String)?
  /// The pipeline whose division it knows, and that; nil where another job knows it.
  var shape: (pipeline: String, text: String)?

  init(_ plan: Plan, _ share: (pipeline: String, number: Int, source: String)? = nil) {
    (self.plan, self.share) = (plan, share)
    assignment = Assignment(name: plan.name, digest: RunCluster.digest(of: plan), machine: plan.machine)
    if share == nil { shape = (plan.name, "") }
  }

  /// The job above a partition, which sends to its tasks.
  init(above plan: Plan) {
    self.init(plan)
    shape = (plan.name, plan.sinks.map(\.shown).joined(separator: " "))
  }

  /// A task that reads its part of a pipeline's source by itself; the first knows how it is divided.
  init(_ plan: Plan, isPart number: Int, of pipeline: Plan) {
    self.init(plan)
    let steps = pipeline.streams.flatMap(\.steps).filter { $0.partition != nil }
    let texts = plan.sources.map(\.spec.summary) + steps.map(\.shown)
    shape = number == 0 ? (pipeline.name, texts.joined(separator: ", ")) : nil
  }
}
