// jq programs, compiled.
//
//   let program = try Program(".items[] | select(.size > $limit) | .name", variables: ["limit"])
//   var environment = Environment()
//   environment.variables["limit"] = .number(10)
//   try program.run(value, environment) { name in print(name) }
//
// A program never changes once it is compiled: any number of threads may run it at once. To run it on many inputs, keep
// an `Evaluator` per thread, which remembers between inputs where names were found:
//
//   let evaluator = program.evaluator(environment)
//   for value in values { if let row = try evaluator.first(value) { … } }
//
// The environment has its limits of time and memory, and its access to the outside world: see Environment.swift.

/// A compiled jq program.
public final class Program: Sendable {
  /// The names of all functions, jq's and those that this language adds, sorted.
  package static var functions: [String] {
    Set(Builtins.names.map { String($0.prefix { $0 != "/" }) }).sorted()
  }

  private let code: Code
  private let slots: Int
  private let hints: Int

  /// Compiles a program.
  ///
  ///     let program = try Program(".status.abbrev")
  ///
  /// - Parameters:
  ///   - name: what messages call the text, such as the file it came from.
  ///   - variables: names that the environment gives values for.
  ///   - modules: where `import` and `include` look; without it they are refused.
  ///   - library: definitions in front of the program.
  public init(
    _ source: String, name: String = "<top-level>", variables: [String] = [], modules: ModuleLoader? = nil,
    library: Library = Library()
  ) throws(ProgramError) {
    let compiler = Compiler(globals: variables, modules: modules)
    let text = ProgramText(name: name, text: Array(source.utf8))
    let module = try Parser.parse(text)
    guard let main = module.main else {
      throw ProgramError("Top-level program not given (try \".\")", source: name)
    }
    _ = try compiler.metadataValue(module.metadata, text)
    var scope = try compiler.importScope(module, modules?.origin)
    for part in library.modules { scope = try compiler.including(part, in: scope) }
    for definition in module.definitions { scope = scope.defining(definition, in: compiler.rootLayout) }
    code = try compiler.compile(main, Here(scope: scope, layout: compiler.rootLayout))
    slots = compiler.rootLayout.slots
    hints = compiler.hints
  }

  /// Runs the program on one input and calls `body` with each output.
  ///
  /// An error of `body` ends the run and is rethrown.
  public func run(
    _ input: Value, _ environment: Environment = Environment(), _ body: (Value) throws -> Void
  ) throws {
    try evaluator(environment).run(input, body)
  }

  /// All outputs for one input.
  ///
  ///     try Program(".[] + 1").outputs(value)
  public func outputs(_ input: Value, _ environment: Environment = Environment()) throws -> [Value] {
    var outputs: [Value] = []
    try run(input, environment) { outputs.append($0) }
    return outputs
  }

  /// An evaluator, to run the program on one input after the other on one thread.
  public func evaluator(_ environment: Environment = Environment()) -> Evaluator {
    Evaluator(code, Run(environment, hints: hints), slots: slots)
  }
}

/// Runs a program on one input after the other.
///
/// Belongs to one thread at a time.
public final class Evaluator {
  private let code: Code
  /// The code where it has one output at most; kept here so that each run need not unwrap and retain it.
  private let single: One?
  private let state: Run
  private let frame: Frame

  fileprivate init(_ code: Code, _ state: Run, slots: Int) {
    self.code = code
    single = if case .single(let single) = code.form { single } else { nil }
    self.state = state
    frame = Frame(state, parent: nil, slots: slots, arguments: [])
  }

  /// The environment, which may be changed between runs.
  public var environment: Environment {
    get { state.environment }
    _modify { yield &state.environment }
  }

  /// Calls `body` with each output for an input.
  ///
  /// An error of `body` ends the run and is rethrown.
  @inline(__always)
  public func run(_ input: Value, _ body: (Value) throws -> Void) throws {
    state.begin()
    defer { finish() }
    do throws(Exception) {
      if let single {
        if let output = try single(input, frame) { try deliver(output, body) }
      } else {
        try code.many(input, frame) { (output) throws(Exception) in try deliver(output, body) }
      }
    } catch {
      throw try EvaluationError(error)
    }
  }

  /// The first output for an input, nil where there is none; later ones are not calculated.
  @inline(__always)
  public func first(_ input: Value) throws -> Value? {
    state.begin()
    defer { finish() }
    do throws(Exception) {
      if let single { return try single(input, frame) }
      return try Builtins.firstOutput(code.many, input, frame)
    } catch {
      throw try EvaluationError(error)
    }
  }

  /// Whether the first output for an input is neither false nor null, for `filter` and its like.
  @inline(__always)
  public func isTrue(_ input: Value) throws -> Bool { try first(input)?.isTruthy ?? false }

  @inline(__always)
  private func deliver(_ output: Value, _ body: (Value) throws -> Void) throws(Exception) {
    do {
      try body(output)
    } catch {
      throw Exception(.receiver(error))
    }
  }

  @inline(__always)
  private func finish() {
    frame.clear()
    state.tail = nil
  }
}

extension Compiler {
  /// Adds a library's definitions to a scope, under their own names.
  func including(_ module: Module, in scope: Scope) throws(ProgramError) -> Scope {
    var own = try importScope(module, folder(of: module.source.name))
    var scope = scope
    for definition in module.definitions {
      let meaning = FunctionMeaning(.definition(definition), scope: own, layout: rootLayout)
      own = own.adding(.function(definition.name, definition.parameters.count, meaning))
      scope = scope.adding(.function(definition.name, definition.parameters.count, meaning))
    }
    return scope
  }
}
