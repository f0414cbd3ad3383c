// The inputs of a run beside its value: limits, and access to the outside world.

/// The limits of one evaluation; an absent one is no limit.
public struct Budget: Sendable {
  /// Outputs of generators, calls of functions and turns of loops.
  public var steps: Int?
  /// Bytes that the evaluation may hold, approximately.
  public var memory: Int?
  /// Seconds, counted by `clock`.
  public var seconds: Double?
  /// A monotonic clock in seconds, read every few thousand steps.
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

/// The environment of a run: time, input, variables, messages, limits.
///
/// A program that uses something absent ends in an error that gives the reason.
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
  /// The files of time zones.
  public var files = FileReading.system
  public var budget = Budget()

  public init() {}
}
