/// The diagram of a pipeline: its nodes, and the edges that events take between them.
///
///     let diagram = Diagram(plan)
///     print(DiagramText(diagram).text)
public struct Diagram: Sendable {
  public enum Role: String, Sendable {
    case source, step, sink
    /// A named stream without steps: where others flow together.
    case stream
  }

  public struct Node: Sendable {
    public let role: Role
    /// As in `debounce`; empty for a stream.
    public let kind: String
    /// The name that the file gives it; empty for a step that has none of its own.
    public let name: String
    /// Its options on one line, and when a source is polled; those that say something.
    public let details: [String]
    /// The named stream whose first step it is; empty for all others.
    public let opens: String
    /// The name of the node in the plan, or of the stream.
    public let id: String
  }

  public struct Edge: Hashable, Sendable {
    public let from: Int
    public let to: Int
    /// Whether the node only looks at these events, as a join does.
    public let isSide: Bool
  }

  public let name: String
  public let description: String
  public private(set) var nodes: [Node] = []
  public private(set) var edges: [Edge] = []
  /// The nodes at the end of each source and stream, for their readers.
  private var ends: [String: [Int]] = [:]

  /// A diagram of a plan; secrets that the plan does not know are hidden with `masking`.
  public init(_ plan: Plan, masking secrets: Secrets = Secrets()) {
    name = secrets.masked(plan.name)
    description = secrets.masked(plan.description)
    for source in plan.sources.behindTheirLists.order {
      let details = [source.shown, source.shownSchedule].filter { !$0.isEmpty }.map(secrets.masked)
      let node = Node(
        role: .source, kind: source.spec.kind, name: source.name, details: details, opens: "", id: source.name
      )
      ends[source.name] = [add(node, reading: [], besides: nodes(behind: source.reads))]
    }
    for stream in plan.streams { add(stream, secrets) }
    for sink in plan.sinks {
      let details = [sink.shown].filter { !$0.isEmpty }.map(secrets.masked)
      let node = Node(
        role: .sink, kind: sink.spec.kind, name: sink.name, details: details, opens: "", id: sink.name)
      add(node, reading: nodes(behind: sink.from))
    }
  }

  private mutating func add(_ stream: StreamPlan, _ secrets: Secrets) {
    var last = nodes(behind: stream.from)
    for (index, step) in stream.steps.enumerated() {
      let node = Node(
        role: .step, kind: step.spec.kind, name: step.isNamed ? step.name : "",
        details: [step.shown].filter { !$0.isEmpty }.map(secrets.masked),
        opens: index == 0 && stream.name != Plan.chain ? stream.name : "", id: step.name)
      last = [add(node, reading: last, besides: nodes(behind: step.reads))]
    }
    // The chain that stands for no steps at all is not worth a box.
    if stream.steps.isEmpty, stream.name != Plan.chain {
      last = [
        add(
          Node(role: .stream, kind: "", name: stream.name, details: [], opens: "", id: stream.name),
          reading: last)
      ]
    }
    ends[stream.name] = last
  }

  private func nodes(behind names: [String]) -> [Int] { names.flatMap { ends[$0] ?? [] } }

  @discardableResult
  private mutating func add(_ node: Node, reading: [Int], besides: [Int] = []) -> Int {
    nodes.append(node)
    let number = nodes.count - 1
    for (others, isSide) in [(reading, false), (besides, true)] {
      for other in others where !edges.contains(Edge(from: other, to: number, isSide: isSide)) {
        edges.append(Edge(from: other, to: number, isSide: isSide))
      }
    }
    return number
  }
}
