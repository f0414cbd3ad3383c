import Language
import System
import JSON

/// The evaluation of an expression, with `$now`, `$meta`, `$vars` and `$config` kept up to date.
public final class Evaluation {
  /// The limits of one evaluation: more than any sensible expression needs.
  public static let budget = Budget(
    steps: 50_000_000, memory: 512 << 20, seconds: 30,
    clock: {
      let (seconds, attoseconds) = (ContinuousClock.now - start).components
      return Double(seconds) + Double(attoseconds) / 1e18
    })
  private static let start = ContinuousClock.now

  private let expression: Expression
  private let evaluator: Evaluator
  private let isIdentity: Bool
  /// The lane of a step or a sink; nil for a source, whose `$now` is the time of day.
  private let lane: Lane?
  private let world: World
  private var turn = -1
  private var poll: Poll?

  /// For a step or a sink: `$now` is the time of the turn.
  public convenience init(_ expression: Expression, on lane: Lane) {
    self.init(expression, lane, lane.world)
  }

  /// For a source, which lives on its own thread: `$now` is the time of day.
  ///
  /// `scope` replaces the variables and the time zone that the expression was compiled with.
  public convenience init(_ expression: Expression, in world: World, scope: ExpressionScope? = nil) {
    self.init(expression, nil, world, scope)
  }

  private init(_ expression: Expression, _ lane: Lane?, _ world: World, _ scope: ExpressionScope? = nil) {
    let scope = scope ?? expression.scope
    var environment = Environment()
    environment.budget = Evaluation.budget
    environment.timeZone = scope.timeZone
    environment.variables = [
      "now": .null, "meta": .null, "vars": scope.vars, "config": scope.config,
    ]
    self.expression = expression
    evaluator = expression.program.evaluator(environment)
    isIdentity = expression.isIdentity
    self.lane = lane
    self.world = world
  }

  /// The first output for an event; nil where there is none.
  @inline(__always)
  public func first(_ event: Event) throws -> Value? {
    if isIdentity { return event.value }
    prepare(event.poll)
    do { return try evaluator.first(event.value) } catch { throw located(error) }
  }

  /// Whether the first output is neither false nor null.
  @inline(__always)
  public func isTrue(_ event: Event) throws -> Bool {
    prepare(event.poll)
    do { return try evaluator.isTrue(event.value) } catch { throw located(error) }
  }

  /// Each output for an event.
  @inline(__always)
  public func each(_ event: Event, _ body: (Value) throws -> Void) throws {
    if isIdentity { return try body(event.value) }
    prepare(event.poll)
    do { try evaluator.run(event.value, body) } catch { throw located(error) }
  }

  /// The error with its place in the pipeline file; others, as those of a receiver, as they are.
  @inline(never)
  private func located(_ error: any Error) -> any Error {
    guard let error = error as? EvaluationError else { return error }
    return ExpressionError(error, in: expression)
  }

  /// Sets a variable that the node adds to the usual ones.
  public func set(_ name: String, _ value: Value) {
    evaluator.environment.variables[name] = value
  }

  @inline(__always)
  private func prepare(_ poll: Poll) {
    if let lane, lane.turnNumber == turn, poll === self.poll { return }
    renew(poll)
  }

  @inline(never)
  private func renew(_ poll: Poll) {
    let now = lane?.now ?? world.wallClock()
    turn = lane?.turnNumber ?? turn
    evaluator.environment.now = now
    evaluator.environment.variables["now"] = .number(now)
    if poll !== self.poll {
      self.poll = poll
      evaluator.environment.variables["meta"] = poll.meta
    }
  }
}

extension Event {
  /// The text that a template makes of this event.
  public func text(_ template: Evaluation) throws -> String { try template.first(self)?.string ?? "" }
}

/// The error of an expression, with its place in the pipeline file.
public struct ExpressionError: Error, CustomStringConvertible {
  public let error: EvaluationError
  /// Nil for an expression that is in no file, and for an error without a location, as that of a limit.
  package let place: SourceRange?

  init(_ error: EvaluationError, in expression: Expression) {
    self.error = error
    place = if case .error(_, let location?) = error { expression.place(of: location) } else { nil }
  }

  public var description: String { error.description }
}

extension NodeLog {
  /// Reports an error: that of an expression with its place in the file, and the event on which it occurred.
  func report(_ error: any Error, on event: Event? = nil, as message: String? = nil) {
    let place = (error as? ExpressionError)?.place
    var details = place?.excerpt ?? []
    if let event { details.append("    in: " + excerpt(of: event.value)) }
    self.error((place.map { "\($0): " } ?? "") + (message ?? "\(error)"), details: details)
  }
}
