import JSON

/// The specification of a node, declared once beside its code: the one source of its parsing, checks and documentation.
public struct NodeSpec: Sendable {
  public let kind: String
  /// One line, as `flow nodes` lists it.
  public let summary: String
  private let reference: NodeReference
  public let options: [AnyOption]
  /// The option that a bare value stands for, as in `filter: .n > 1`.
  public let shorthand: String?
  /// Whether it takes a mapping for that option too, as in `map: { id: .id }`.
  public let takesMapping: Bool
  /// A description of its state and the limit of that; nil for a node without state.
  public let state: String?
  /// Whether a poll comes out of the step as a whole, so that each replaces the one before.
  public let emitsWholePolls: Bool
  /// Whether the step compares each poll with the one before.
  public let comparesPolls: Bool
  /// The options that the step takes over from a step before that compares polls, unless it has its own.
  public let takesOver: [String]
  public let role: Role
  /// The maker of the node; the engine knows its type.
  public let maker: any NodeMaker
  /// Whether the stream source can be read again from a position that it gives; then it reports when it has
  /// caught up with the runs before, as ``Feed/sayCaughtUp()`` has it.
  public let isRepeatable: Bool
  /// Whether that holds with these options.
  var repeats: @Sendable (Options) -> Bool = { _ in true }
  /// Whether it keeps state in the pipeline's state file.
  public let hasDurableState: Bool
  /// The step's need of the stream, which decides whether it may be below a partition.
  public let partitioning: Partitioning
  /// The coverage of a recorded poll whose recording does not have it, by the options of its source, its rows, and the
  /// number of rows at which the recorded list was cut, if that is known.
  public typealias AssumedCoverage = @Sendable (Options, [JSON.Value], _ limit: Int?) -> Coverage
  /// The coverage of polls by the source's options; nil for a source whose polls are complete.
  public let coverage: AssumedCoverage?
  /// Whether the source stores its position between runs with these options, also where no other node keeps state.
  var keepsPosition: @Sendable (Options) -> Bool = { _ in false }
  /// Whether the last good answer of the source is kept, in a cache.
  public private(set) var keepsAnswers = false
  /// The source that reads one part of so many, where its options say how what it reads is divided.
  public typealias PartRule =
    @Sendable (_ pipeline: String, Options, _ number: Int, _ count: Int) -> NodeSpec?
  var part: PartRule = { _, _, _, _ in nil }
  /// How to poll what a source reads that has no schedule; nil where nothing else does.
  private(set) var pollHint: String?
  /// Why the step drops an event, where that follows from its kind.
  public private(set) var whyDropped: String?
  /// The shape of what a step sends; nil where that is not known.
  var shape: ShapeRule = { _, _ in nil }
  /// The rules between options; problems are reported to the checker.
  let check: @Sendable (Options, Checker) -> Void

  public init(
    _ kind: String, _ summary: String, reference: NodeReference = NodeReference(), options: [AnyOption] = [],
    shorthand: String? = nil, takesMapping: Bool = false, state: String? = nil, emitsWholePolls: Bool? = nil,
    comparesPolls: Bool = false, takesOver: [AnyOption] = [], isRepeatable: Bool = false,
    hasDurableState: Bool = false,
    partitioning: Partitioning = .whole,
    check: @escaping @Sendable (Options, Checker) -> Void = { _, _ in },
    coverage: AssumedCoverage? = nil, madeBy maker: any NodeMaker
  ) {
    self.kind = kind
    self.summary = summary
    self.reference = reference
    self.options = options
    self.shorthand = shorthand
    self.takesMapping = takesMapping
    self.state = state
    // What a step remembers mostly decides what it leaves out.
    self.emitsWholePolls = emitsWholePolls ?? (state == nil)
    self.comparesPolls = comparesPolls
    self.takesOver = takesOver.map(\.name)
    self.isRepeatable = isRepeatable
    self.hasDurableState = hasDurableState
    self.partitioning = partitioning
    self.check = check
    self.coverage = coverage
    role = maker.role
    self.maker = maker
  }

  /// The place of a node in a pipeline, and how it is driven.
  public enum Role: Sendable {
    /// A source that reads on until its end: a file, standard input.
    case stream
    /// A source that is polled by a schedule.
    case poll
    /// A source that answers at times of its own; it runs in virtual time.
    case script
    case step
    case sink
  }

  /// The same source, which can be replayed from a position only where its options say so.
  public func repeatable(_ rule: @escaping @Sendable (Options) -> Bool) -> NodeSpec {
    var spec = self
    spec.repeats = rule
    return spec
  }

  /// The same source, which stores its position between runs where its options say so.
  public func keepingPosition(_ rule: @escaping @Sendable (Options) -> Bool) -> NodeSpec {
    var spec = self
    spec.keepsPosition = rule
    return spec
  }

  /// The same source, whose last good answer is kept.
  public func keepingAnswers() -> NodeSpec {
    var spec = self
    spec.keepsAnswers = true
    return spec
  }

  /// The same source, which each task of a partition may read a part of by itself, where its options say so.
  public func inParts(_ part: @escaping PartRule) -> NodeSpec {
    var spec = self
    spec.part = part
    return spec
  }

  /// The same source without a schedule, with a hint for who gives it one.
  public func hintingAtPolls(_ hint: String) -> NodeSpec {
    var spec = self
    spec.pollHint = hint
    return spec
  }

  /// The same step, which drops events for this reason alone.
  public func dropping(_ reason: String) -> NodeSpec {
    var spec = self
    spec.whyDropped = reason
    return spec
  }

  /// More for `flow docs KIND`, in paragraphs.
  public var details: String { reference.details }
  public var examples: [Example] { reference.examples }

  var isScript: Bool { if case .script = role { true } else { false } }

  /// “source”, “step” or “sink”.
  public var roleName: String {
    switch role {
    case .stream, .poll, .script: "source"
    case .step: "step"
    case .sink: "sink"
    }
  }

  public typealias Example = NodeReference.Example
}

/// All nodes there are.
public struct Catalog: Sendable {
  public let nodes: [NodeSpec]

  public init(_ nodes: [NodeSpec]) { self.nodes = nodes }

  public var sources: [NodeSpec] { nodes.filter { $0.roleName == "source" } }
  public var steps: [NodeSpec] { nodes.filter { $0.roleName == "step" } }
  public var sinks: [NodeSpec] { nodes.filter { $0.roleName == "sink" } }

  public func named(_ kind: String) -> [NodeSpec] { nodes.filter { $0.kind == kind } }

  /// The formats in which sources decode text.
  public var formats: Set<String> { Set(sources.flatMap(\.options).flatMap(\.variants).map(\.name)) }
}

/// A maker of nodes from their options: the language of pipeline files needs only its role, the engine the rest.
public protocol NodeMaker: Sendable {
  var role: NodeSpec.Role { get }
  /// Whether a source with these options is polled: not where they make it read on.
  func isPolled(_ options: Options) -> Bool
}

extension NodeMaker {
  public func isPolled(_ options: Options) -> Bool { if case .poll = role { true } else { false } }
}

extension NodeSpec {
  /// All options within the node: its own, and those that all of its role have.
  public var innerOptions: [AnyOption] {
    if case .sink = role { return options + SinkOptions.within }
    if case .byKey = partitioning { return options + AnyOption.list(StepOptions.keyWithin) }
    return options
  }

  /// The options beside it: those of all nodes of its role, as far as they apply to it.
  public var besideOptions: [AnyOption] {
    switch role {
    case .poll: SourceOptions.all
    case .step: StepOptions.all
    case .sink: SinkOptions.beside
    // A source without a schedule.
    default: AnyOption.list(SourceOptions.buffer, SourceOptions.whenFull)
    }
  }
}

extension AnyOption {
  /// The requirement in a word: `required`, `default 8`, `optional`.
  public var need: String {
    isRequired ? "required" : fallback.map { "default \($0)" } ?? "optional"
  }
}
