// Compiled code: closures of two kinds. An expression with at most one output is a plain function; only the others are
// generators, which call a callback with each output before they make the next one.

/// Code with at most one output; nil is none.
typealias One = @Sendable (Value, Frame) throws(Exception) -> Value?
/// The receiver of a generator's outputs.
typealias Emit = (Value) throws(Exception) -> Void
/// Code with any number of outputs.
typealias Many = @Sendable (Value, Frame, Emit) throws(Exception) -> Void
/// Code that changes a value in place.
typealias Update = @Sendable (inout Value, Frame) throws(Exception) -> Void
/// The receiver of a path expression's outputs.
typealias EmitPathValue = (PathValue) throws(Exception) -> Void
/// The code of a path expression, from a value with its path to others.
typealias Paths = @Sendable (PathValue, Frame, EmitPathValue) throws(Exception) -> Void

/// A compiled expression.
struct Code: Sendable {
  enum Form: Sendable {
    case single(One)
    case many(Many)
  }

  let form: Form
  /// Whether there is always an output.
  let isTotal: Bool
  /// The output of an expression that always has the same one.
  let constant: Value?
  // `empty`
  var isNever = false

  static func constant(_ value: Value) -> Code {
    Code(form: .single({ (_, _) throws(Exception) in value }), isTotal: true, constant: value)
  }

  static func single(total: Bool = true, _ run: @escaping One) -> Code {
    Code(form: .single(run), isTotal: total, constant: nil)
  }

  static func many(_ run: @escaping Many) -> Code {
    Code(form: .many(run), isTotal: false, constant: nil)
  }

  /// The expression as a plain function, when it is one.
  var single: One? {
    if case .single(let run) = form { return run }
    return nil
  }

  /// The expression as a generator, whatever it is.
  var many: Many {
    switch form {
    case .many(let run): return run
    case .single(let run):
      return { (value, frame, out) throws(Exception) in
        if let output = try run(value, frame) { try out(output) }
      }
    }
  }

}

/// The code of a function's argument, where it could not be compiled into the function.
final class ArgumentCode: Sendable {
  let many: Many
  let single: One?
  let paths: Paths?

  init(many: @escaping Many, single: One?, paths: Paths?) {
    self.many = many
    self.single = single
    self.paths = paths
  }
}

/// A function that is called rather than compiled into its callers: a recursive one.
///
/// `@unchecked`: the compiler fills it in before the program is handed out; after that it never changes.
final class FunctionCode: @unchecked Sendable {
  let name: String
  var body: Code?
  var paths: Paths?
  var slots = 0

  init(name: String) { self.name = name }

  /// Runs a body that is known to have at most one output, and the tail calls it ends in.
  @inline(__always)
  func callSingle(_ input: Value, _ frame: Frame) throws(Exception) -> Value? {
    guard let body, let single = body.single else { return nil }
    let run = frame.run
    try run.step()
    run.depth += 1
    defer { run.depth -= 1 }
    try run.checkStack()
    if let output = try single(input, frame) { return output }
    while let next = run.tail {
      run.tail = nil
      try run.step()
      guard let single = next.function.body?.single else {
        var last: Value?
        try next.function.callMany(next.input, next.frame) { (value) throws(Exception) in last = value }
        return last
      }
      if let output = try single(next.input, next.frame) { return output }
    }
    return nil
  }

  /// Runs a body of any kind, and the tail calls it ends in.
  func callMany(_ input: Value, _ frame: Frame, _ out: Emit) throws(Exception) {
    guard let body else { return }
    let run = frame.run
    try run.step()
    run.depth += 1
    defer { run.depth -= 1 }
    try run.checkStack()
    try FunctionCode.emit(body, input, frame, out)
    while let next = run.tail {
      run.tail = nil
      try run.step()
      guard let body = next.function.body else { return }
      try FunctionCode.emit(body, next.input, next.frame, out)
    }
  }

  @inline(__always)
  private static func emit(_ body: Code, _ input: Value, _ frame: Frame, _ out: Emit) throws(Exception) {
    switch body.form {
    case .many(let many): try many(input, frame, out)
    case .single(let single): if let output = try single(input, frame) { try out(output) }
    }
  }
}
