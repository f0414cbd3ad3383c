extension NodeSpec {
  /// All options that stand within the node: its own, and those that all of its role have.
  public var innerOptions: [AnyOption] {
    if case .sink = role { return options + SinkOptions.within }
    return options
  }

  /// The options that stand beside it: those of all nodes of its role, as far as they mean something for it.
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
  /// Whether it must be given, or what it is otherwise: `required`, `default 8`, `optional`.
  public var need: String {
    isRequired ? "required" : fallback.map { "default \($0)" } ?? "optional"
  }
}
