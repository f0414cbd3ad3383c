// What a run is given from outside: its limits, and what it may ask of the world.

/// Limits of one evaluation.
///
/// Nothing given means no limit.
public struct Budget: Sendable {
  /// Outputs of generators, calls of functions and turns of loops.
  public var steps: Int?
  /// Bytes that the evaluation may hold, roughly.
  public var memory: Int?
  /// Seconds, counted by `clock`.
  public var seconds: Double?
  /// Any clock in seconds that only goes forward.
  ///
  /// Read every few thousand steps.
  public var clock: (@Sendable () -> Double)?

  public init(
    steps: Int? = nil, memory: Int? = nil, seconds: Double? = nil, clock: (@Sendable () -> Double)? = nil
  ) {
    self.steps = steps
    self.memory = memory
    self.seconds = seconds
    self.clock = clock
  }
}

/// What a program may ask of the world.
///
/// Everything absent is refused, with a reason, when a program asks for it.
///
///     var environment = Environment()
///     environment.now = 1_767_225_600
///     environment.variables = ["vars": vars]
public struct Environment {
  /// Values of the variables that the program was compiled with.
  public var variables: [String: Value] = [:]
  /// `env` and `$ENV`: an object of texts.
  public var processEnvironment: Value?
  /// `now`, in seconds since 1970.
  public var now: Double?
  /// The zone of `localtime`, `strflocaltime` and `mktime` in local form: `Europe/Warsaw`; UTC without one.
  public var timeZone: String?
  /// `input`: the next value, nil at the end.
  public var nextInput: (() throws -> Value?)?
  // `debug`
  public var debug: ((Value) -> Void)?
  // `stderr`
  public var standardError: ((Value) -> Void)?
  // `input_filename`
  public var inputFileName: (() -> String?)?
  // `input_line_number`
  public var inputLineNumber: (() -> Int)?
  public var budget = Budget()

  public init() {}
}
