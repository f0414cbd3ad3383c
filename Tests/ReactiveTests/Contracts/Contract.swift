import Reactive
import Testing

/// One way to use an operator, for the kit to try its promises on.
struct Contract: Sendable, CustomTestStringConvertible {
  /// The name of the operator, and what is special about this use of it.
  let name: String
  let variant: String
  /// Whether it calls a closure of the user for each element, which may throw.
  let throwing: Bool
  /// Whether it takes elements from a source; `just` and its like do not.
  let hasSource: Bool
  /// Whether it keeps its subscription to the source without observers of its own.
  var staysConnected = false
  /// Whether it holds its source, to subscribe to it again, or something else that goes on.
  var outlivesSource = false
  let build:
    @Sendable (_ source: Observable<Int>, _ clock: any Scheduler, _ probe: @escaping Probe) -> Observable<
      String
    >

  /// What an operator's closure calls, so that a test can make it throw, or see whether it is still held.
  typealias Probe = @Sendable (Int) throws -> Int

  var testDescription: String { variant.isEmpty ? name : "\(name) (\(variant))" }

  /// An operator without a closure that can throw.
  static func plain<Output: Sendable>(
    _ name: String, _ variant: String = "",
    _ build: @escaping @Sendable (Observable<Int>, any Scheduler) -> Observable<Output>
  ) -> Contract {
    Contract(name: name, variant: variant, throwing: false, hasSource: true) { source, clock, _ in
      build(source, clock).map { "\($0)" }
    }
  }

  /// The same, for one that outlives its subscribers.
  var connected: Contract {
    var copy = self
    copy.staysConnected = true
    return copy
  }

  /// The same, for one that is not over when its source is released.
  var lasting: Contract {
    var copy = self
    copy.outlivesSource = true
    return copy
  }

  /// An operator that calls a closure of the user.
  static func calling<Output: Sendable>(
    _ name: String, _ variant: String = "",
    _ build: @escaping @Sendable (Observable<Int>, any Scheduler, @escaping Probe) -> Observable<Output>
  ) -> Contract {
    Contract(name: name, variant: variant, throwing: true, hasSource: true) { source, clock, probe in
      build(source, clock, probe).map { "\($0)" }
    }
  }

  /// A source.
  static func source<Output: Sendable>(
    _ name: String, _ variant: String = "", _ build: @escaping @Sendable (any Scheduler) -> Observable<Output>
  ) -> Contract {
    Contract(name: name, variant: variant, throwing: false, hasSource: false) { _, clock, _ in
      build(clock).map { "\($0)" }
    }
  }
}
