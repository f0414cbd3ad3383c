import Engine
import JSON
import Language

/// The events of a run that was traced: where each came from, and what became of it.
///
///     let run = TracedRun(plan, trace)
///     run.way(to: run.outputs(that: wanted).last)  // from its row to the sink
struct TracedRun {
  typealias Passage = EventTrace.Passage

  /// A source, step or sink.
  struct Node {
    let name: String
    let kind: String
    /// A phrase for what it does.
    let summary: String
    /// Why it drops an event, where that follows from its kind.
    let whyDropped: String?
    /// The names of the options with expressions that can be evaluated again, and these.
    let expressions: [(name: String, expression: Expression)]
    let comparesPolls: Bool
    /// Whether it sends events as they are, or not at all.
    let isFilter: Bool
    /// Whether it holds nothing.
    let isDirect: Bool
    /// The option whose outputs it sends.
    let shape: String?
    let keepsKeys: Bool
    /// The nodes that read it; none of a sink.
    var readers: [String] = []

    /// By what it knows a row again.
    var keys: [Expression] { expressions.filter { ["key", "by"].contains($0.name) }.map(\.expression) }
  }

  /// The end of the way of an event: the last passages, and the node that put nothing out for it; nil for a sink.
  struct End {
    let way: [Int]
    let node: String?
  }

  let plan: Plan
  let trace: EventTrace
  let passages: [Passage]
  let nodes: [String: Node]
  private let firstPolls: [String: Int]
  /// The keys by which events behind a node are known.
  private let keys: [String: [Evaluation]]
  /// The present time of the evaluations.
  private let time = LaneLocal(0.0)

  init(_ plan: Plan, _ trace: EventTrace) {
    (self.plan, self.trace) = (plan, trace)
    passages = trace.passages
    firstPolls = trace.firstPolls
    let nodes = Self.nodes(of: plan)
    self.nodes = nodes
    let world = World.now { [time] in time.value }
    keys = nodes.mapValues { node in
      var (texts, left, known): (Set<String>, [String], Set<String>) = ([], node.readers, [])
      var keys: [Evaluation] = []
      while let name = left.popLast(), let reader = nodes[name] {
        guard known.insert(name).inserted else { continue }
        for key in reader.keys where texts.insert(key.text).inserted {
          keys.append(Evaluation(key, in: world))
        }
        if reader.keepsKeys { left += reader.readers }
      }
      return keys
    }
  }

  private static func nodes(of plan: Plan) -> [String: Node] {
    let readers = plan.readers
    var nodes: [String: Node] = [:]
    func add(_ name: String, _ spec: NodeSpec, _ given: [(String, Expression)]) {
      let expressions = given.compactMap { name, given in
        // One with variables of its step alone, as scan has, cannot be evaluated again.
        (try? Expression(given.text, scope: given.scope)).map { (name: name, expression: $0) }
      }
      nodes[name] = Node(
        name: name, kind: spec.kind, summary: spec.summary, whyDropped: spec.whyDropped,
        expressions: expressions,
        comparesPolls: spec.comparesPolls, isFilter: spec.passesEach, isDirect: spec.handlesEachAlone,
        shape: spec.sentOption, keepsKeys: spec.keepsKeys, readers: readers[name] ?? [])
    }
    for source in plan.sources { add(source.name, source.spec, []) }
    for stream in plan.streams {
      for step in stream.steps {
        // Others, as emit of a window, are given something else than the event.
        let expressions = step.options.expressions.filter {
          step.spec.handlesEachAlone || ["key", "by", "where", "when"].contains($0.name)
        }
        add(step.name, step.spec, expressions)
      }
    }
    for sink in plan.sinks { add(sink.name, sink.spec, sink.when.map { [("when", $0)] } ?? []) }
    return nodes
  }

  func isSink(_ name: String) -> Bool { plan.sinks.contains { $0.name == name } }

  /// The outputs that an id, a line of a log or a key means, in order.
  func outputs(that wanted: KeyText) -> [Int] {
    let outputs = passages.indices.filter { isSink(passages[$0].node) }
    for isExact in [true, false] {
      let lines = outputs.filter { wanted.isLine(of: passages[$0].value, isExact: isExact) }
      if !lines.isEmpty { return lines }
    }
    let own = outputs.filter { names(passages[$0]).contains { wanted.means($0) } }
    if !own.isEmpty { return own }
    return outputs.filter { output in
      way(to: output).contains { index in names(passages[index]).contains { wanted.means($0) } }
    }
  }

  /// The rows of sources that a key means, itself or in what was made of them, in order.
  func rows(that wanted: KeyText) -> [Int] {
    struct Named: Hashable { let node, list: String; let value: Value }
    func matching(_ isMeant: (Passage) -> Bool) -> [Int] {
      var known: [Named: Bool] = [:]
      let found = passages.indices.filter { index in
        let passage = passages[index]
        let named = Named(node: passage.node, list: passage.poll.list, value: passage.value)
        if let answer = known[named] { return answer }
        let answer = isMeant(passage)
        known[named] = answer
        return answer
      }
      return Set(found.compactMap { way(to: $0).first }.filter { passages[$0].cause == .read }).sorted()
    }
    let rows = matching { names($0).contains { wanted.means($0) } }
    if !rows.isEmpty { return rows }
    return matching { passage in
      passage.value.keys.contains { passage.value.member($0).map { wanted.means($0) } ?? false }
    }
  }

  /// The names that an event may be given by; where its source is polled over a list, also with the entry.
  func names(_ passage: Passage) -> [Value] {
    let event = passage.event
    let isObject = passage.value.kind == .object
    let own = isObject ? ["key", "id"].compactMap { passage.value.member($0) } : [passage.value]
    time.value = passage.at
    let found = (keys[passage.node] ?? []).compactMap { (try? $0.first(event)) ?? nil }
    let names = own + found.filter { !$0.isNull }
    return event.entry.map { entry in names + names.map { .array([entry, $0]) } } ?? names
  }

  /// The events that a node which compares polls has taken, with their keys: list by list, and poll by poll.
  func polls(for node: Node) -> [[[(key: Value, index: Int)]]] {
    guard let key = node.keys.first else { return [] }
    let evaluation = Evaluation(key, in: World.now { [time] in time.value })
    var lists: [String: (polls: [[(key: Value, index: Int)]], last: Poll)] = [:]
    for (index, passage) in passages.enumerated()
    where nodes[passage.node]?.readers.contains(node.name) == true {
      time.value = passage.at
      guard let key = (try? evaluation.first(passage.event)) ?? nil else { continue }
      let poll = passage.poll
      // Numbers begin anew with each run.
      if var list = lists.removeValue(forKey: poll.list) {
        let isSame = poll.number == list.last.number && poll.at == list.last.at
        if !isSame { list.polls.append([]) }
        list.polls[list.polls.count - 1].append((key, index))
        lists[poll.list] = (list.polls, poll)
      } else {
        lists[poll.list] = ([[(key, index)]], poll)
      }
    }
    return lists.sorted { $0.key < $1.key }.map(\.value.polls)
  }

  /// Whether it is the first poll of its list.
  func isFirst(_ poll: Poll) -> Bool {
    poll.number == 1 || poll.number > 0 && firstPolls[poll.list] == poll.number
  }

  /// The passages from a source to this one; where it is made of several, along the latest.
  func way(to index: Int) -> [Int] {
    var way = [index]
    while let origin = way.last.flatMap({ passages[$0].origins.last }) { way.append(origin) }
    return way.reversed()
  }

  /// Whatever became of events: the end of each of their ways.
  func ends(of roots: Set<Int>) -> [Int: [End]] {
    var next: [Int: [Int]] = [:]
    var wanted = roots
    for (index, passage) in passages.enumerated() {
      let origins = passage.origins.filter(wanted.contains)
      if origins.isEmpty { continue }
      wanted.insert(index)
      for origin in origins { next[origin, default: []].append(index) }
    }
    func ends(_ way: [Int]) -> [End] {
      guard let last = way.last else { return [] }
      let name = passages[last].node
      if isSink(name) { return [End(way: way, node: nil)] }
      return (nodes[name]?.readers ?? []).flatMap { reader -> [End] in
        let sent = (next[last] ?? []).filter { passages[$0].node == reader }
        return sent.isEmpty ? [End(way: way, node: reader)] : sent.flatMap { ends(way + [$0]) }
      }
    }
    return Dictionary(uniqueKeysWithValues: roots.map { ($0, ends([$0])) })
  }
}

extension World {
  /// A world for expressions of the past, in which it is this time.
  static func now(_ time: @escaping @Sendable () -> Double) -> World {
    World(wallClock: time, random: { 0 }, environment: { _ in nil })
  }
}

extension KeyText {
  /// Whether the text is the line that a log has for an event; its time need not be the same where not all is.
  fileprivate func isLine(of event: Value, isExact: Bool) -> Bool {
    guard let line else { return false }
    return [line, line.member("data") ?? line].contains {
      isExact ? $0 == event : Backtest.essence($0) == Backtest.essence(event)
    }
  }
}
