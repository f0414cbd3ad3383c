import JSON
import Language

/// The maker of a node, by role: the executable side of a `NodeSpec`.
public enum Maker: NodeMaker {
  case stream(@Sendable (Options, SourceContext) throws -> any StreamSource)
  case poll(@Sendable (Options, SourceContext) throws -> any PollSource)
  /// A polled source that reads on instead, where its options say so.
  case pollOrStream(
    isStream: @Sendable (Options) -> Bool, poll: @Sendable (Options, SourceContext) throws -> any PollSource,
    stream: @Sendable (Options, SourceContext) throws -> any StreamSource)
  /// A polled source that is polled over a list, where its options say so.
  indirect case each(EntryLists, Maker)
  case script(endsWithScript: Bool, @Sendable (Options) throws -> any ScriptSource)
  /// The errors of the run itself.
  case errors
  case step(@Sendable (Options, StepContext) throws -> any Step)
  /// A step without state.
  case stateless(@Sendable (Options, StepContext) throws -> EventOperator)
  case sink(@Sendable (Options, SinkContext) throws -> any Sink)

  public var role: NodeSpec.Role {
    switch self {
    case .stream, .errors: .stream
    case .poll, .pollOrStream: .poll
    case .each(_, let one): one.role
    case .script: .script
    case .step, .stateless: .step
    case .sink: .sink
    }
  }
}

extension Maker {
  /// How a step is made; nil for what is none.
  var step: ((Options, StepContext) throws -> MadeStep)? {
    switch self {
    case .step(let make): { .hosted(try make($0, $1)) }
    case .stateless(let make): { .stateless(try make($0, $1)) }
    default: nil
    }
  }

  public func isPolled(_ options: Options) -> Bool {
    switch self {
    case .poll: true
    case .pollOrStream(let isStream, _, _): !isStream(options)
    case .each(_, let one): one.isPolled(options)
    case .stream, .script, .errors, .step, .stateless, .sink: false
    }
  }
}

extension Maker {
  /// Whether the source holds a thread from its start to its end.
  func readsOn(_ options: Options) -> Bool {
    switch self {
    case .stream: true
    case .pollOrStream(let isStream, _, _): isStream(options)
    case .each(_, let one): one.readsOn(options)
    case .poll, .script, .errors, .step, .stateless, .sink: false
    }
  }

  /// The same, each of its polled sources replaced; nil for what is not polled.
  public func mapPolls(
    _ change: @escaping @Sendable (any PollSource, SourceContext) -> any PollSource
  ) -> Maker? {
    switch self {
    case .poll(let make): .poll { options, context in change(try make(options, context), context) }
    case .pollOrStream(let isStream, let poll, let stream):
      .pollOrStream(
        isStream: isStream, poll: { options, context in change(try poll(options, context), context) },
        stream: stream)
    case .each(let lists, let one): one.mapPolls(change).map { .each(lists, $0) }
    case .stream, .script, .errors, .step, .stateless, .sink: nil
    }
  }

  /// The source whose rows are the list that it is polled over.
  func listSource(_ options: Options) -> String? {
    if case .each(let lists, _) = self { lists.source(options) } else { nil }
  }
}

extension NodeSpec {
  /// A declaration that ends with its maker: `NodeSpec("filter", "…", .step { options, context in … })`.
  public init(
    _ kind: String, _ summary: String, reference: NodeReference = NodeReference(), options: [AnyOption] = [],
    shorthand: String? = nil, takesMapping: Bool = false, state: String? = nil, emitsWholePolls: Bool? = nil,
    comparesPolls: Bool = false, takesOver: [AnyOption] = [],
    isRepeatable: Bool = false, hasDurableState: Bool = false, partitioning: Partitioning = .whole,
    check: @escaping @Sendable (Options, Checker) -> Void = { _, _ in },
    coverage: AssumedCoverage? = nil, _ maker: Maker
  ) {
    self.init(
      kind, summary, reference: reference, options: options, shorthand: shorthand, takesMapping: takesMapping,
      state: state,
      emitsWholePolls: emitsWholePolls, comparesPolls: comparesPolls, takesOver: takesOver,
      isRepeatable: isRepeatable, hasDurableState: hasDurableState, partitioning: partitioning,
      check: check, coverage: coverage, madeBy: maker)
  }
}
